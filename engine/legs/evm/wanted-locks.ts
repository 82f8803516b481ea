import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { SeenLock } from './events.ts';
import type { LockTerms } from './swap-key.ts';

/**
 * Which locks of its hash a swap has to hear of. Anybody who knows the hash can make others, of any token, for any
 * account, as many as the gas is paid for: of those only the number is kept, so that none can stand in front of what is
 * meant here (facts/faults.md 61).
 */
export type WantedLocks =
  /** The one with this key, which all of its terms are in: nothing else is the swap's, whoever makes it. */
  | { readonly are: 'one'; readonly key: Uint8Array }
  /**
   * Those of exactly the agreed terms that hold at least the amount, whoever made them: each costs its maker as much as
   * it promises. Of what holds less, but enough to be an attempt, those that the coordinator notes for `by`, who was to
   * lock.
   */
  | {
      readonly are: 'agreed';
      readonly lock: Omit<LockTerms, 'amount'>;
      /** Smallest units of the token. */
      readonly least: bigint;
      readonly by: EvmAddress;
    };

/** A lock of less than one part in this many is no attempt to lock the amount (facts/faults.md 7). */
const decoyShare = 2n;

/**
 * All but the amount is as agreed: another token, contract, account or timelock is something else (facts/faults.md 10).
 */
export function isAsAgreed(lock: Omit<LockTerms, 'amount'>, terms: LockTerms): boolean {
  return (
    sameBytes(terms.preimageHash, lock.preimageHash) &&
    sameBytes(terms.token, lock.token) &&
    sameBytes(terms.refundAddress, lock.refundAddress) &&
    sameBytes(terms.claimAddress, lock.claimAddress) &&
    terms.timelock === lock.timelock
  );
}

/**
 * Whether whose lock it is has to be asked: of every one that may be wanted, and that a coordinator may have made for
 * somebody.
 */
export function needsDepositor(wanted: WantedLocks, { terms }: Pick<SeenLock, 'terms'>): boolean {
  return wanted.are === 'agreed' && isAsAgreed(wanted.lock, terms) && terms.amount * decoyShare >= wanted.least;
}

/** Loses money when wrong: one that is wanted and left out is never claimed, or never taken back. */
export function isWanted(wanted: WantedLocks, lock: Pick<SeenLock, 'terms' | 'key' | 'depositor'>): boolean {
  if (wanted.are === 'one') return sameBytes(lock.key, wanted.key);
  if (!needsDepositor(wanted, lock)) return false;
  return lock.terms.amount >= wanted.least || isBy(lock, wanted.by);
}

/** Whether a lock is known to be refunded to this account. */
export function isBy({ depositor }: Pick<SeenLock, 'depositor'>, account: EvmAddress): boolean {
  return depositor !== null && depositor !== 'nobody' && sameBytes(depositor, account);
}

/** The same text for those who want the same: what was read for one of them need not be read again for the other. */
export function nameOfWanted(wanted: WantedLocks): string {
  if (wanted.are === 'one') return toHex(wanted.key);
  const { lock, least, by } = wanted;
  const parts = [lock.token, lock.refundAddress, lock.claimAddress, by].map(toHex);
  return [...parts, lock.timelock, least].join(' ');
}
