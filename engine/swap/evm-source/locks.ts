import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { SeenLock } from '../../legs/evm/events.ts';
import { isKey, type Deposit, type EvmSourceTerms, type StrayLock } from './terms.ts';

/** Locks that are listed beside the swap's own: anybody can make more, each for its gas, and nobody needs us to be refunded in the end. */
const mostStrays = 20;

/** A lock of less than one part in this many is no attempt to pay the amount: dust by which a stranger could end the swap (facts/faults.md 7). */
const decoyShare = 2n;

/** As it is kept. */
export function depositOf({ terms, key, txid, depositor }: SeenLock): Deposit {
  return { lock: terms, key, txid, depositor };
}

/** All but the amount is what was agreed: another token, contract, account or timelock is not funding (facts/faults.md 10). */
function isAgreed({ lock }: EvmSourceTerms, { terms }: SeenLock): boolean {
  return (
    sameBytes(terms.preimageHash, lock.preimageHash) &&
    sameBytes(terms.token, lock.token) &&
    sameBytes(terms.refundAddress, lock.refundAddress) &&
    sameBytes(terms.claimAddress, lock.claimAddress) &&
    terms.timelock === lock.timelock
  );
}

/** The lock that is the swap's, whatever else was made: `used` as long as it stands, else the exact amount, else the oldest. */
export function rightLock(t: EvmSourceTerms, locks: readonly SeenLock[], used: Uint8Array | null): SeenLock | null {
  const right = locks
    .filter((lock) => lock.state.is === 'active' && isAgreed(t, lock) && lock.terms.amount >= t.least)
    .sort((a, b) => a.height - b.height || (toHex(a.key) < toHex(b.key) ? -1 : 1));
  return (
    (used === null ? undefined : right.find(isKey(used))) ??
    right.find(({ terms }) => terms.amount === t.least) ??
    right[0] ??
    null
  );
}

/** A lock that was meant to be the swap's, holds too little, and is there for good. */
export function shortLock(t: EvmSourceTerms, locks: readonly SeenLock[]): SeenLock | null {
  return (
    locks.find(
      (lock) =>
        lock.state.is === 'active' &&
        isAgreed(t, lock) &&
        lock.terms.amount < t.least &&
        lock.terms.amount * decoyShare >= t.least &&
        lock.confirmations >= t.confirmations,
    ) ?? null
  );
}

/** Every lock that our account could claim, but the one with this key: the largest of them, in a stable order. */
export function straysBeside(t: EvmSourceTerms, locks: readonly SeenLock[], used: Uint8Array | null): StrayLock[] {
  return locks
    .filter((lock) => sameBytes(lock.terms.claimAddress, t.lock.claimAddress))
    .filter((lock) => used === null || !sameBytes(lock.key, used))
    .sort((a, b) => (a.terms.amount === b.terms.amount ? compareKeys(a, b) : a.terms.amount > b.terms.amount ? -1 : 1))
    .slice(0, mostStrays)
    .map((lock) => ({ ...depositOf(lock), taken: lock.state.is !== 'active' }));
}

function compareKeys(a: SeenLock, b: SeenLock): number {
  return toHex(a.key) < toHex(b.key) ? -1 : 1;
}

export function sameStrays(a: readonly StrayLock[], b: readonly StrayLock[]): boolean {
  return (
    a.length === b.length &&
    a.every((stray, i) => {
      const other = b[i];
      return (
        other !== undefined &&
        sameBytes(stray.key, other.key) &&
        stray.txid === other.txid &&
        stray.taken === other.taken &&
        (stray.depositor === null) === (other.depositor === null)
      );
    })
  );
}

export function hasUntaken(strays: readonly StrayLock[]): boolean {
  return strays.some(({ taken }) => !taken);
}
