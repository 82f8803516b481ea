import { sameBytes } from '../../../../domain/hash.ts';
import { toHex } from '../../../../domain/hex.ts';
import type { SeenLock } from '../../../../legs/evm/events.ts';
import { isBy, isWanted, type WantedLocks } from '../../../../legs/evm/wanted-locks.ts';
import { sameInOrder } from '../../extra-coins.ts';
import { isKey, type Counted, type Deposit, type EvmSourceTerms as T, type ExtraLock } from './terms.ts';

/**
 * Locks that are listed beside the swap's own. Those of the client come first: whoever makes more of them than this
 * displaces none but its own.
 */
const mostExtras = 20;

/** What is anything to the swap: locks as agreed, and short ones of the client's own. */
export function wantedOf({ lock, least, clientAddress }: T): WantedLocks {
  return { are: 'agreed', lock, least, by: clientAddress };
}

/** As it is kept. */
export function depositOf({ terms, key, txid, depositor, paid }: SeenLock): Deposit {
  const owner = depositor === 'nobody' ? null : depositor;
  return { lock: terms, key, txid, depositor: owner, ...(paid === undefined ? {} : { paid }) };
}

function wantedIn(t: T, locks: readonly SeenLock[]): SeenLock[] {
  const wanted = wantedOf(t);
  return locks.filter((lock) => isWanted(wanted, lock)).sort(stableOrder);
}

/** Oldest first, then by key: two looks at the same locks choose the same one. */
function stableOrder(a: SeenLock, b: SeenLock): number {
  return a.height - b.height || (toHex(a.key) < toHex(b.key) ? -1 : 1);
}

/**
 * The lock that is the swap's, whatever else was made: one that is buried before one that is not, for then nothing has
 * to be waited for; of those `used` as long as it stands, else the client's, else the exact amount, else the oldest.
 */
export function rightLock(t: T, locks: readonly SeenLock[], used: Uint8Array | null): SeenLock | null {
  const right = wantedIn(t, locks).filter(({ state, terms }) => state.is === 'active' && terms.amount >= t.least);
  const best = (of: readonly SeenLock[]): SeenLock | undefined =>
    (used === null ? undefined : of.find(isKey(used))) ??
    of.find((lock) => isBy(lock, t.clientAddress)) ??
    of.find(({ terms }) => terms.amount === t.least) ??
    of[0];
  return best(right.filter(({ confirmations }) => confirmations >= t.confirmations)) ?? best(right) ?? null;
}

/** A lock that the client meant to be the swap's, holds too little, and is there for good. */
export function shortLock(t: T, locks: readonly SeenLock[]): SeenLock | null {
  return (
    wantedIn(t, locks).find(
      ({ state, terms, confirmations }) =>
        state.is === 'active' && terms.amount < t.least && confirmations >= t.confirmations,
    ) ?? null
  );
}

/**
 * The locks beside the swap's own: the one that it counted once, then the client's that stand, then others that do, and
 * those that are over behind them. What a stranger makes as it was agreed, at its own cost, comes after all that.
 */
export function locksBeside(
  t: T,
  locks: readonly SeenLock[],
  used: Uint8Array | null,
  counted?: Uint8Array,
): ExtraLock[] {
  const rank = (lock: SeenLock): number => {
    if (counted !== undefined && sameBytes(lock.key, counted)) return 0;
    return 1 + (lock.state.is === 'active' ? 0 : 2) + (isBy(lock, t.clientAddress) ? 0 : 1);
  };
  return wantedIn(t, locks)
    .filter((lock) => used === null || !sameBytes(lock.key, used))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostExtras)
    .map((lock) => ({
      ...depositOf(lock),
      taken: lock.state.is !== 'active',
      ...(lock.state.is === 'refunded' ? { back: lock.state.txid } : {}),
    }));
}

export function sameExtras(a: readonly ExtraLock[], b: readonly ExtraLock[]): boolean {
  return sameInOrder(
    a,
    b,
    (one, other) =>
      sameBytes(one.key, other.key) &&
      one.txid === other.txid &&
      one.taken === other.taken &&
      (one.depositor === null) === (other.depositor === null) &&
      (one.paid === undefined) === (other.paid === undefined),
  );
}

export function hasUntaken(extras: readonly ExtraLock[]): boolean {
  return extras.some(({ taken }) => !taken);
}

/** Whether a lock is what the client is owed back: the one that was counted, or one that it made. */
export function isClients({ clientAddress }: T, { counted }: Counted, { key, depositor }: Deposit): boolean {
  return (
    (counted !== undefined && sameBytes(key, counted.key)) ||
    (depositor !== null && sameBytes(depositor, clientAddress))
  );
}
