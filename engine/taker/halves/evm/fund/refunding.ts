import { after, minute, type Clocks } from '../../../../domain/time.ts';
import { hasFailed } from '../../../../legs/evm/events.ts';
import type { LockTerms } from '../../../../legs/evm/swap-key.ts';
import { lockEnd, timelockPassed } from '../../../../legs/evm/timelocks.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../../../swap/machine.ts';
import { payerIsOut } from '../../../words.ts';
import { hasRested, mayComeAgain } from './pause.ts';
import { fundedAs, baseOf, type EvmFunding, type EvmFundTerms, type Base, type Stage } from './terms.ts';
import { withLastWord } from './word.ts';

type T = EvmFundTerms;
type P = EvmFunding;

/** How long a provider that declined is left alone. */
const pause = minute;

export function whenFunded(t: T, p: Stage<'funded'>, event: Event, now: Clocks): Outcome<P> {
  // What the provider has already cannot come back.
  if (p.takenBy !== null) return 'stay';
  const isOpen = timelockPassed(lockEnd(p.deal.source), now, t.chain);
  const rested = hasRested(p.notBefore, now);
  switch (event.is) {
    case 'provider.seen':
      if (payerIsOut.has(event.status) && rested && !isOpen) return ask(t, { ...p, said: event.status });
      return withLastWord(p, event.status);
    case 'refund.requested':
      return isOpen ? refundAlone(p) : ask(t, p);
    case 'clock':
      return isOpen ? refundAlone(p) : 'stay';
    default:
      return 'stay';
  }
}

/** Every term of it: a refund of any other amount is one of a lock that does not exist. */
function lockOf({ deal, made }: Base): LockTerms {
  const { lock } = deal.source;
  return { ...lock, amount: made?.amount ?? lock.amount };
}

/** With its consent the provider gives the lock up for good: it would sign after it paid at its own cost alone. */
function ask(t: T, p: Base): Step<P> {
  return move<P>({ at: 'asking', ...baseOf(p) }, askEffect(t, p));
}

export function askEffect(t: T, p: Base): Effect {
  const { swapId, source } = p.deal;
  const { network, contracts } = source;
  return {
    do: 'provider.refund-evm',
    provider: t.provider,
    swapId,
    network,
    contracts,
    lock: lockOf(p),
    key: t.evmKey,
  };
}

/** Pays our account, whoever sends it: ours does. */
export function refundAlone(p: Base): Step<P> {
  return {
    progress: { at: 'refunding', sent: null, ...baseOf(p) },
    effects: [refundEffect(p)],
    supersedes: true,
  };
}

export function refundEffect(p: Base): Effect {
  const { network, contracts } = p.deal.source;
  const act = { is: 'taker-refund', lock: lockOf(p) } as const;
  return { do: 'evm.send', network, contracts, act, deadline: null, value: p.deal.target.amount };
}

export function whenAsking(t: T, p: Stage<'asking'>, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'provider.relayed':
      return move<P>(fundedAs({ ...p, relayed: true }, after(now.wall, mayComeAgain)));
    case 'provider.declined':
      return move<P>(fundedAs(p, after(now.wall, pause), event.reason));
    case 'clock':
      return timelockPassed(lockEnd(p.deal.source), now, t.chain) ? refundAlone(p) : 'stay';
    default:
      return 'stay';
  }
}

export function whenRefunding(p: Stage<'refunding'>, event: Event): Outcome<P> {
  if (event.is === 'evm.prepared')
    return event.purpose === 'taker-refund' ? move<P>({ ...p, sent: event.txid }) : 'stay';
  if (event.is !== 'evm.sent' || event.purpose !== 'taker-refund' || event.txid !== p.sent) return 'stay';
  return hasFailed(event.state) ? refundAlone(p) : 'stay';
}
