import { btc } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { blocksAfterTimeout } from '../../legs/timelocks.ts';
import type { Event, Outcome, Step } from '../machine.ts';
import { leftOver, neitherLeg, raceOver, type Race } from '../vhtlc-target/race.ts';
import { refundEffect, whoseBatch } from '../vhtlc-target/refunding.ts';
import { raceOf } from '../vhtlc-target/terms.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;
type Claimed = P & { at: 'claimed' };
/** The claim was believed, and a refund of ours may have beaten it. */
type Beaten = P & { at: 'claimed' | 'settled' | 'lost' };

const race: Race<Beaten, P> = {
  returned: (p, refundTxid) => ({ at: 'returned', refundTxid, ...lockOf(p) }),
  taken: 'its payment is settled',
  back: 'the payment went back to its payer',
};

/** Whose the VHTLC is shows when the payment is over already. */
export function whenOver(t: T, p: P & { at: 'settled' | 'lost' }, event: Event, now: Clocks): Outcome<P> {
  return raceOver<Beaten, P>(t, p, event, now, race) ?? leftOver<Beaten, P>(t, p, event, now, race) ?? 'stay';
}

/** The preimage is ours: the held payment is settled, however long that takes. */
export function whenClaimed(t: T, p: Claimed, event: Event, now: Clocks): Outcome<P> {
  const over = raceOver<Beaten, P>(t, p, event, now, race);
  if (over !== null) return over;
  if (event.is === 'hold.settled') return settled(t, p);
  if (event.is !== 'hold.seen') return 'stay';
  switch (event.state.is) {
    case 'settled':
      return settled(t, p);
    case 'cancelled':
      return lost(t, p);
    case 'absent':
      // The wrong node answers, or one that was restored from nothing: the right one may be back before the payment times out.
      return p.expiryHeight !== undefined &&
        now.bitcoin.height !== null &&
        now.bitcoin.height > p.expiryHeight + blocksAfterTimeout
        ? lost(t, p)
        : {
            progress: p,
            effects: [],
            flag: 'The client claimed the VHTLC and this Lightning node does not know the payment: connect the node that holds it, before it times out.',
          };
    default:
      return 'stay';
  }
}

function settled(t: T, p: Claimed): Step<P> {
  return {
    progress: { at: 'settled', claimTxid: p.claimTxid, ...lockOf(p), ...raceOf(p) },
    effects: [],
    ledger: [
      { kind: 'protocol-fee', ...btc('arkade', t.feeSats) },
      { kind: 'network-fee-charged', ...btc('arkade', t.networkFeeSats) },
    ],
  };
}

function lost(t: T, p: Claimed): Step<P> {
  if (p.bothLegs === true && p.racing === undefined) return neitherLeg<Beaten, P>(p, p.refundTxid ?? null, race, []);
  return {
    progress: { at: 'lost', claimTxid: p.claimTxid, ...lockOf(p), ...(p.racing === undefined ? {} : { ...raceOf(p) }) },
    // What the operator accepted of ours is made final all the same, and whose batch it was is asked on.
    effects: [...(p.finishing === true ? [refundEffect(t, p)] : []), ...(p.asked === true ? [whoseBatch(t, p)] : [])],
    supersedes: true,
    ledger: [{ kind: 'loss', ...btc('arkade', -t.targetAmount) }],
    flag: 'The client claimed the VHTLC and its payment went back: the settlement came too late.',
  };
}
