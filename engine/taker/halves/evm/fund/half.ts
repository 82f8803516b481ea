import type { Clocks } from '../../../../domain/time.ts';
import { lockEnd, timelockPassed } from '../../../../legs/evm/timelocks.ts';
import type { Event, Outcome } from '../../../../swap/machine.ts';
import { evmLeg } from '../../../evm/shape.ts';
import { lockLeg } from '../../../../swap/rescue.ts';
import { signedUntil } from '../../../restore/signed-until.ts';
import { whileLocked, whilePaid } from '../../../words.ts';
import type { Beside, ClientFund, Forfeited } from '../../fund.ts';
import { fundingEffect, whenFunding, whenWaiting } from './funding.ts';
import { askEffect, refundEffect, whenAsking, whenFunded, whenRefunding } from './refunding.ts';
import { whenLockSeen, whenTaken } from './seen.ts';
import { fundedAs, base, baseOf, stages, type EvmFunding, type EvmFundTerms, type Base } from './terms.ts';
import { view } from './view.ts';
import { deadline, watches } from './watches.ts';

type T = EvmFundTerms;
type P = EvmFunding;

const over: ReadonlySet<P['at']> = new Set(['done', 'claimed', 'lost', 'lapsed']);

/**
 * We lock tokens of our account on an EVM chain.
 *
 * Loses money when wrong: a lock of other terms than those that were verified; a second one for the same swap; one that
 * nobody takes back.
 */
export const fundOnEvm: ClientFund<T, Base, P> = {
  leg: 'evm',
  ours: 'your tokens',
  whenSpoiled: 'your tokens are taken back as soon as that can be done.',
  fields: { source: evmLeg, base, stages },
  begin: (deal) => ({
    at: 'waiting',
    deal,
    said: 'pending',
    made: null,
    signedUntil: null,
    takenBy: null,
    relayed: false,
    notBefore: null,
    declined: null,
  }),
  copied(p) {
    // A signature of ours may be about that this copy knows nothing of.
    const until = p.at === 'waiting' ? signedUntil(p.deal) : null;
    return until === null || until <= (p.signedUntil ?? 0) ? null : { ...p, signedUntil: until };
  },
  step,
  resume(t, p) {
    switch (p.at) {
      case 'funding':
        // Signed by our account it is that account's to send.
        return p.by === 'provider' || p.sent === null ? [fundingEffect(t, p)] : [];
      case 'asking':
        return [askEffect(t, p)];
      case 'refunding':
        // One that the account's queue has still is found again by the act.
        return [refundEffect(p)];
      default:
        return [];
    }
  },
  meanwhile: (t, p, event) => (event.is === 'evm.seen' ? whenTaken(t, p, event) : null),
  base: baseOf,
  unclaimed: (p) => fundedAs(p),
  bought: (p) => ({ at: 'claimed', ...baseOf(p) }),
  spoiled: (p) => (p.takenBy === null ? fundedAs(p) : { at: 'lost', ...baseOf(p) }),
  awaits: (p) => p.at === 'funded' && !isGivenUp(p),
  isGivenUp,
  isTaken: ({ takenBy }) => takenBy !== null,
  isBack: (p, now) => timelockPassed(lockEnd(p.deal.source), now, p.deal.source.network),
  aloneFrom: ({ deal }) => lockEnd(deal.source),
  mostPaid: ({ made }) => made?.amount ?? 0n,
  watches,
  deadline,
  open: ({ at }) => !over.has(at),
  words: {
    waiting: new Set(['expired']),
    lapsed: new Set(),
    funded: (isPayment) => (isPayment ? whilePaid : whileLocked),
  },
  seenAs: () => 'clientfunded',
  rescue(t, p, fate) {
    if (over.has(p.at as P['at']) || fate === 'ours') return null;
    // Before a signature was given there is none, and the tokens are in our account.
    if (p.at === 'waiting' && p.signedUntil === null) return null;
    const { source } = p.deal;
    const lock = { ...source.lock, amount: p.made?.amount ?? source.lock.amount };
    // A refund pays the account that it came from.
    return lockLeg({ ...source, lock, since: t.since }, { key: t.evmKey, destination: t.account });
  },
  view,
};

function step(t: T, p: P, event: Event, now: Clocks, beside: Beside): Outcome<P> | Forfeited<P> {
  switch (p.at) {
    case 'done':
    case 'claimed':
    case 'lost':
    case 'lapsed':
      return 'stay';
    default:
      if (event.is === 'evm.seen') return whenLockSeen(t, p, event, now, beside);
  }
  switch (p.at) {
    case 'waiting':
      return whenWaiting(t, p, event, now, beside.window);
    case 'funding':
      return whenFunding(t, p, event, now);
    case 'funded':
      return whenFunded(t, p, event, now);
    case 'asking':
      return whenAsking(t, p, event, now);
    case 'refunding':
      return whenRefunding(p, event);
  }
}

/** A refund that we signed may be used any moment, unless the provider took ours all the same. */
function isGivenUp({ relayed, takenBy }: Base): boolean {
  return relayed && takenBy === null;
}
