import type { Txid } from '../../../../domain/outpoint.ts';
import type { Answer, News } from '../../answer.ts';
import type { ClaimEnd } from '../../claim.ts';
import {
  move,
  type Effect,
  type Event,
  type LedgerLine,
  type Outcome,
  type Resumption,
  type Step,
  type EventOf,
} from '../../../machine.ts';
import { sameBytes } from '../../../../domain/hash.ts';
import { toHex } from '../../../../domain/hex.ts';
import type { Sats } from '../../../../domain/money.ts';
import { swapKey } from '../../../../legs/evm/swap-key.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import { depositOf, rightLock, sameExtras, locksBeside } from './locks.ts';
import { endOf, noted, sending } from './sent.ts';
import {
  depositedOf,
  isKey,
  nothingAsked,
  type Claiming,
  type Deposited,
  type EvmClaim,
  type EvmSourceTerms as T,
} from './terms.ts';

/** The client's lock is ours, or with the client again. */
type End = News<ClaimEnd<EvmClaim>>;
type Moved<C> = Answer<C, ClaimEnd<EvmClaim>>;

/** Takes the client's lock with the preimage that was learned: its fee rises until the client could take it back. */
export function claimEffect(t: T, { deposit }: Pick<Deposited, 'deposit'>): Effect {
  return {
    do: 'evm.send',
    network: t.network,
    contracts: t.contracts,
    act: { is: 'claim', lock: deposit.lock },
    deadline: lockEnd(t),
    value: t.sourceAmount,
  };
}

/** What was given for the lock is the client's: nothing but the lock's end, buried, stops the claim. */
export function whenClaiming<C extends Claiming>(t: T, p: C, event: Event, isPaidBack: boolean): Moved<C> {
  switch (event.is) {
    case 'evm.prepared':
      return event.purpose === 'claim' && p.claimTxid === null && claims(event, p)
        ? move<C>({ ...p, claimTxid: event.txid, sent: sending(p, event.purpose, event.txid) })
        : 'stay';
    case 'evm.sent':
      return claimEnded(t, p, event);
    case 'evm.seen':
      return whenSeen(t, p, event, isPaidBack);
    default:
      return 'stay';
  }
}

/** What was begun for another lock answers all the same, and takes nothing of this one. */
function claims({ lock }: EventOf<'evm.prepared'>, { deposit }: Pick<Deposited, 'deposit'>): boolean {
  return lock === undefined || sameBytes(lock, swapKey(deposit.lock));
}

/** One that the account's queue has still is found again by the act. */
export function resumeClaim<C extends Claiming>(t: T, p: C): Resumption<C> {
  const sent = p.sent.filter(({ purpose }) => purpose !== 'claim');
  return { progress: { ...p, claimTxid: null, sent }, effects: [claimEffect(t, p)] };
}

/**
 * A mined claim counts by its event log alone; one that reverted or was dropped is sent again. It stays pending until
 * it is buried, for a reorganisation may take its block.
 */
function claimEnded<C extends Claiming>(t: T, p: C, event: EventOf<'evm.sent'>): Outcome<C> {
  const end = endOf(p, event);
  if (end === null) return noted(p, event);
  const { by, txid, purpose } = end;
  const shallow = purpose === 'claim' && event.state.is === 'mined' && event.state.confirmations < t.confirmations;
  const sent = shallow ? p.sent : end.sent;
  const isLatest = p.sent.findLast((one) => one.purpose === 'claim')?.txid === txid;
  if (isLatest && by !== p.claimTxid) {
    if (by !== null) return move<C>({ ...p, sent, claimTxid: by });
    return {
      progress: { ...p, sent, claimTxid: null },
      effects: [claimEffect(t, p)],
      ...(event.state.is === 'mined'
        ? { flag: 'Our claim of the client’s lock was mined and failed: it is made again.' }
        : {}),
    };
  }
  if (!shallow) return move<C>({ ...p, sent });
  return noted(p, { ...event, state: { is: 'waiting', taken: by } });
}

function whenSeen<C extends Claiming>(t: T, p: C, event: EventOf<'evm.seen'>, isPaidBack: boolean): Moved<C> {
  const own = event.locks.find(isKey(p.deposit.key));
  if (own === undefined) return vanished(t, p, event, isPaidBack);
  const { state } = own;
  if (state.is !== 'active' && state.confirmations >= t.confirmations)
    return state.is === 'redeemed'
      ? claimed(t, p, state.txid)
      : (claimOther(t, p, event, isPaidBack) ?? { fact: 'lost', lost: { ...depositedOf(p), ...nothingAsked } });
  return present(t, p, event);
}

/**
 * Another lock that was made as it was agreed: the preimage takes it as well, and nothing else pays for what was given;
 * or a claim from memory took it, which no disk knows of (facts/faults.md 310).
 */
function claimOther<C extends Claiming>(t: T, p: C, event: EventOf<'evm.seen'>, isPaidBack: boolean): Step<C> | null {
  const redeemed = event.locks.filter(({ state }) => state.is === 'redeemed');
  const claimedOnes = redeemed.map((lock) => ({ ...lock, state: { is: 'active' as const } }));
  const other = isPaidBack ? null : (rightLock(t, claimedOnes, null) ?? rightLock(t, event.locks, null));
  if (other === null) return null;
  const next = { ...p, deposit: depositOf(other), extras: locksBeside(t, event.locks, other.key), claimTxid: null };
  return { progress: next, effects: [claimEffect(t, next)], supersedes: true };
}

/**
 * A reorganisation took the lock: whoever funded it may have locked another amount in its place, and that one is
 * claimed. Not while a claim of the first is on its way: it would take that one too, should it come again
 * (facts/faults.md 13).
 */
function vanished<C extends Claiming>(t: T, p: C, event: EventOf<'evm.seen'>, isPaidBack: boolean): Outcome<C> {
  if (p.sent.some(({ purpose }) => purpose === 'claim')) return missing(t, p, event);
  return claimOther(t, p, event, isPaidBack) ?? missing(t, p, event);
}

/** While something is given for the lock: whatever becomes of it is told, and changes nothing else. */
export function whenBacking<P extends Deposited>(t: T, p: P, event: Event): Outcome<P> {
  if (event.is === 'evm.seen')
    return event.locks.some(isKey(p.deposit.key)) ? present(t, p, event) : missing(t, p, event);
  if (event.is !== 'evm.sent') return 'stay';
  const end = endOf(p, event);
  return end === null ? noted(p, event) : move<P>({ ...p, sent: end.sent });
}

/** Other locks are listed, whatever else the event means. */
function present<P extends Deposited>(t: T, p: P, event: EventOf<'evm.seen'>): Outcome<P> {
  const extras = locksBeside(t, event.locks, p.deposit.key);
  const { gone: _, ...rest } = p;
  // Whose it is, and so what was given for it, an RPC may know late.
  const paid = p.deposit.paid ?? event.locks.find(isKey(p.deposit.key))?.paid;
  if (p.gone === undefined && sameExtras(extras, p.extras) && paid === p.deposit.paid) return 'stay';
  const deposit = paid === undefined ? p.deposit : { ...p.deposit, paid };
  return move<P>({ ...rest, deposit, extras } as unknown as P);
}

/**
 * The lock that something was given for is not on the chain any more: it may come again, and a person is told once
 * (facts/faults.md 13).
 */
function missing<P extends Deposited>(t: T, p: P, event: EventOf<'evm.seen'>): Outcome<P> {
  if (p.gone === true) return 'stay';
  return {
    progress: { ...p, extras: locksBeside(t, event.locks, p.deposit.key), gone: true },
    effects: [],
    flag: `The client’s lock is not on ${t.network} any more although it was buried: a reorganisation took it.`,
  };
}

function claimed(t: T, p: Claiming, claimTxid: Txid): End {
  const surplus = p.deposit.lock.amount - t.least;
  return {
    fact: 'claimed',
    claimed: { claimTxid, ...depositedOf(p), ...nothingAsked },
    along: {
      supersedes: true,
      ledger: [
        line(t, 'protocol-fee', inUnits(t, t.feeSats)),
        line(t, 'network-fee-charged', inUnits(t, t.networkFeeSats)),
        ...(surplus > 0n ? [line(t, 'surplus', surplus)] : []),
      ],
    },
  };
}

function line({ network, pegged }: T, kind: LedgerLine['kind'], amount: bigint): LedgerLine {
  return { kind, network, asset: `0x${toHex(pegged.address)}`, amount };
}

/** Of the token that is locked: no chain is served whose token holds less than a sat in its smallest unit. */
function inUnits({ pegged }: T, amount: Sats): bigint {
  return amount * 10n ** BigInt(pegged.decimals - 8);
}
