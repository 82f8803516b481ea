import type { Store } from '../../../store/store.ts';
import type { CommonContext } from '../context.ts';

/** A line in the journal of whoever pays it: what a fee became, and why. */
export function noteFee(
  { row: { subject, effect } }: Pick<CommonContext, 'row'>,
  text: string,
): (store: Pick<Store, 'journal' | 'swaps'>, now: number) => void {
  return (store, now) => {
    const at = store.swaps.byId(subject)?.progress.at ?? '';
    store.journal.write(subject, { time: now, event: text, from: at, to: at, effects: [effect.do] });
  };
}

/** One decimal: nobody reads more of a rate. */
export function rateText(rate: number): string {
  return `${Math.round(rate * 10) / 10} sats per vbyte`;
}
