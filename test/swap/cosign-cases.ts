import { expect } from 'vitest';
import { evmBitcoin, type EvmBitcoinProgress, type EvmBitcoinTerms } from '../../engine/swap/directions/evm-bitcoin.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { clocksOf, evmBitcoinTerms, fresh, lookAtHtlc, prepared, seenCoin } from './evm-bitcoin-cases.ts';
import { lookAt, seenLock } from './evm-lightning-cases.ts';
import { start } from './cases.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';

/** The same terms with both keys in the output of the HTLC, by which both sides spend its coin together. */
export function jointTerms(t: EvmBitcoinTerms): EvmBitcoinTerms {
  // Its own direction has another form, and judges a funding by its time.
  return { ...t, htlc: { ...t.htlc, form: 'musig', provider: 'refunder', sizeGuard: true, refundHeight } as never };
}

/** Of the tip from which on we could take our coin back alone. */
export const refundHeight = 900_400;

/** Clocks at which that is open. */
export function overdueAt(wall: number, mtp: number): Clocks {
  return { ...clocksOf(wall, mtp), bitcoin: { mtp: unix(mtp), height: refundHeight } };
}

const way: readonly Event[] = [lookAt([seenLock()]), prepared, lookAtHtlc(seenCoin())];

/** Our coin is on the chain, and unspent. */
export const lockedCoin = way.reduce<EvmBitcoinProgress>((p, event) => {
  const outcome = evmBitcoin.step(jointTerms(evmBitcoinTerms), p, event, clocksOf(start + 60, start));
  return outcome === 'stay' ? expect.fail(`${p.at} stays at ${event.is}`) : outcome.progress;
}, fresh);
