import type { Clocks } from '../../domain/time.ts';
import { safeToRefund } from '../../legs/safety/refund.ts';
import { whenBacking } from '../evm-source/claiming.ts';
import { depositedOf } from '../evm-source/terms.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import { placedOf } from '../onchain-target/terms.ts';
import { coinSeen } from './coin.ts';
import { takeBack } from './refunding.ts';
import { whenFundingEnds } from './sending.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;

/** Our coin is out: the client claims it, or we take it back once median time past is above its locktime. */
export function whenLocked(t: EvmBitcoinTerms, p: P & { at: 'locked' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'htlc.seen':
      return coinSeen(t, p, event) ?? 'stay';
    case 'clock':
      return safeToRefund({ refundLocktime: t.htlc.refundLocktime }, now) === null
        ? move<P>({ at: 'refunding', spends: [], ...depositedOf(p), ...placedOf(p) }, takeBack(t, p))
        : 'stay';
    default:
      return whenFundingEnds(t, p, event) ?? whenBacking(t, p, event);
  }
}
