import type { Clocks } from '../../../../domain/time.ts';
import { hasFailed } from '../../../../legs/evm/events.ts';
import { lockEnd, timelockPassed } from '../../../../legs/evm/timelocks.ts';
import type { Answer, News } from '../../answer.ts';
import type { LostFact, NeitherFact } from '../../fund.ts';
import type { Surety } from '../../surety.ts';
import { move, type Effect, type Event, type LedgerLine, type Step, type EventOf } from '../../../machine.ts';
import { toHex } from '../../../../domain/hex.ts';
import { refundEffect, whenReturned } from './refunding.ts';
import { isBuried, mistaken, ownLock } from './seen.ts';
import { revealedOf, type EvmFund, type EvmTargetTerms as T, type Revealed } from './terms.ts';

type Neither = News<NeitherFact<EvmFund>>;
type Raced<S> = Answer<S, NeitherFact<EvmFund>>;
type Lost = Revealed & { readonly back: NonNullable<Revealed['back']> };

export function lossOf({ network, lock }: T): LedgerLine {
  return { kind: 'loss', network, asset: `0x${toHex(lock.token)}`, amount: -lock.amount };
}

/** The client took back what it gave, and has our lock as soon as its claim is buried. */
export function whenLost(t: T, p: Revealed, took: string): News<LostFact<EvmFund>> {
  return {
    fact: 'lost',
    revealed: { ...revealedOf(p), back: { refundTxid: null } },
    along: { supersedes: true, ledger: [lossOf(t)], flag: `${took} although it had claimed our lock.` },
  };
}

/**
 * Until its claim is buried a reorganisation may take it: our lock then stands again, with nothing left that it is
 * given for, and comes back once its timelock has passed. Left there, whoever has the secret takes it one day
 * (facts/faults.md 129). Null: the event does not concern it.
 */
export function whileLost<S extends Lost>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Raced<S> | null {
  const { back } = p;
  switch (event.is) {
    case 'evm.seen':
      return event.network === t.network ? whenLooked(t, p, event, now, surety) : 'stay';
    case 'evm.prepared':
      return event.purpose === 'refund' && back.asked === true
        ? move<S>({ ...p, back: { asked: true, refundTxid: event.txid } })
        : 'stay';
    case 'evm.already-done':
      return event.purpose === 'refund' && back.asked === true && back.refundTxid === null
        ? move<S>({ ...p, back: { ...back, halted: now.wall } })
        : 'stay';
    case 'evm.sent':
      return event.purpose === 'refund' && event.txid === back.refundTxid && hasFailed(event.state, t.burial)
        ? takeBack(t, p, surety)
        : 'stay';
    default:
      return null;
  }
}

function whenLooked<S extends Lost>(t: T, p: S, event: EventOf<'evm.seen'>, now: Clocks, surety: Surety): Raced<S> {
  const lock = ownLock(t, event);
  const { back, ...rest } = p;
  switch (lock?.state.is) {
    case 'redeemed':
      return isBuried(t, lock.state) ? { ...move<S>(rest as unknown as S), supersedes: true } : 'stay';
    case 'refunded':
      return lock === null ? 'stay' : neither(t, whenReturned(t, lock), surety);
    case 'active': {
      const isAsked = back.asked === true && !mistaken(back, event);
      return isAsked || !timelockPassed(lockEnd(t), now, t.network) ? 'stay' : takeBack(t, p, surety);
    }
    default:
      return 'stay';
  }
}

function takeBack<S extends Lost>(t: T, p: S, surety: Surety): Step<S> {
  return move<S>({ ...p, back: { asked: true, refundTxid: null } }, refundEffect(t, surety));
}

/** What its state alone owes: a refund that is asked for, or on its way, is found again by the act. */
export function resumeLost(t: T, { back }: Revealed, surety: Surety): readonly Effect[] {
  return back?.asked === true ? [refundEffect(t, surety)] : [];
}

function neither(t: T, end: ReturnType<typeof whenReturned>, { words }: Surety): Neither | 'stay' {
  if (end?.fact !== 'returned') return 'stay';
  return {
    fact: 'neither',
    returned: end.returned,
    along: {
      supersedes: true,
      ledger: [{ ...lossOf(t), amount: t.lock.amount }],
      flag:
        `A reorganisation of ${t.network} took the client’s claim of our lock, which came back, and ${words.back}. ` +
        'Nothing is lost, and nothing is owed.',
    },
  };
}
