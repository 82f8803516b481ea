import { sameOutpoint } from '../../domain/outpoint.ts';
import type { OnlyIf } from '../../swap/machine.ts';
import { arkadeOf, lightningOf, type EffectContext } from './context.ts';

/** Judges the conditions of an act now. Null when it may be started, else the reason why not. */
export async function forbidden(onlyIf: OnlyIf, { ports, clock }: EffectContext): Promise<string | null> {
  const now = clock.now();
  if (now.wall > onlyIf.notAfter) return 'too little time was left';
  if (onlyIf.held !== undefined) {
    const state = await lightningOf(ports).hold(onlyIf.held.hash);
    if (state.is !== 'held') return `the payment is not held any more but ${state.is}`;
    if (state.expiryHeight < onlyIf.held.expiryHeight) return 'the held payment times out sooner than it did';
  }
  if (onlyIf.coin !== undefined) {
    const { script, outpoint } = onlyIf.coin;
    const coins = await arkadeOf(ports).coins([script]);
    const coin = coins.find((seen) => sameOutpoint(seen.outpoint, outpoint));
    if (coin === undefined || coin.spent || coin.unrolled || coin.recoverable) return 'the coin of the client is not spendable any more';
  }
  return null;
}
