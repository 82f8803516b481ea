import type { Clocks } from '../../domain/time.ts';
import { move, type Event, type Outcome } from '../../swap/machine.ts';
import { whenClaiming as whenClaimed, type Ends } from '../vhtlc-target/claiming.ts';
import { dealtOf, type TakeLightningArkadeProgress, type TakeLightningArkadeTerms } from './terms.ts';

type P = TakeLightningArkadeProgress;
type Claiming = P & { at: 'claiming' };

const ends: Ends<Claiming, P> = {
  claimed: (p, claimTxid) => move<P>({ at: 'claimed', claimTxid, coin: p.coin, ...dealtOf(p) }),
  unsent: (p, reason) => move<P>({ at: 'waiting', why: reason, ...dealtOf(p) }),
  lost: (p) => ({
    progress: { at: 'lost', ...dealtOf(p) },
    effects: [],
    flag:
      'The provider took its VHTLC back while we claimed it: if the invoice was settled, the provider owes you the ' +
      'payment.',
  }),
  shown: () => false,
};

export function whenClaiming(t: TakeLightningArkadeTerms, p: Claiming, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'provider.seen') return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
  return whenClaimed(t, p, event, now, ends);
}
