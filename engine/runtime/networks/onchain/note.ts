import type { Store } from '../../../store/store.ts';
import type { EffectContext } from '../context.ts';

/** A line in the journal of whoever pays it: what a fee became, and why. */
export function noteFee(
  { row: { subject, effect } }: EffectContext,
  text: string,
): (store: Store, now: number) => void {
  return (store, now) => {
    const at = store.swaps.byId(subject)?.progress.at ?? '';
    store.journal.write(subject, { time: now, event: text, from: at, to: at, effects: [effect.do] });
  };
}

/** One decimal: nobody reads more of a rate. */
export function rateText(rate: number): string {
  return `${Math.round(rate * 10) / 10} sats per vbyte`;
}
