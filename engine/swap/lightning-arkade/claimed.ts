import type { Clocks } from '../../domain/time.ts';
import { blocksAfterTimeout } from '../../legs/timelocks.ts';
import type { Event, Outcome, Step } from '../machine.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;
type Claimed = P & { at: 'claimed' };

/** The preimage is ours: the held payment is settled, however long that takes. */
export function whenClaimed(t: T, p: Claimed, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'hold.settled') return settled(t, p);
  if (event.is !== 'hold.seen') return 'stay';
  switch (event.state.is) {
    case 'settled':
      return settled(t, p);
    case 'cancelled':
      return lost(t, p);
    case 'absent':
      // The wrong node answers, or one that was restored from nothing: the right one may be back before the payment times out.
      return p.expiryHeight !== undefined && now.height !== null && now.height > p.expiryHeight + blocksAfterTimeout
        ? lost(t, p)
        : { progress: p, effects: [], flag: 'The client claimed the VHTLC and this Lightning node does not know the payment: connect the node that holds it, before it times out.' };
    default:
      return 'stay';
  }
}

function settled(t: T, p: Claimed): Step<P> {
  return {
    progress: { at: 'settled', claimTxid: p.claimTxid, ...lockOf(p) },
    effects: [],
    ledger: [
      { kind: 'protocol-fee', amountMsat: t.feeSats * 1_000n },
      { kind: 'network-fee-charged', amountMsat: t.networkFeeSats * 1_000n },
    ],
  };
}

function lost(t: T, p: Claimed): Step<P> {
  return {
    progress: { at: 'lost', claimTxid: p.claimTxid, ...lockOf(p) },
    effects: [],
    supersedes: true,
    ledger: [{ kind: 'loss', amountMsat: -t.targetAmount * 1_000n }],
    flag: 'The client claimed the VHTLC and its payment went back: the settlement came too late.',
  };
}
