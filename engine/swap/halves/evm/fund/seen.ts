import { sameBytes } from '../../../../domain/hash.ts';
import { lookedAfter, type Unix } from '../../../../domain/time.ts';
import type { SeenLock } from '../../../../legs/evm/events.ts';
import { swapKey } from '../../../../legs/evm/swap-key.ts';
import type { WantedLocks } from '../../../../legs/evm/wanted-locks.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import type { Event } from '../../../machine.ts';
import type { EvmTargetTerms as T, Relay, Fact } from './terms.ts';

/**
 * Looked up by its key, before it is made and as long as it matters: nothing that a client makes stands in front of it
 * (facts/faults.md 61).
 */
export function ourLock({ lock }: T): WantedLocks {
  return { are: 'one', key: swapKey(lock) };
}

/** The lock of exactly our terms, whoever made it: another of the same hash is a stranger's. */
export function ownLock(t: T, event: Event): SeenLock | null {
  if (event.is !== 'evm.seen' || event.network !== t.network) return null;
  const key = swapKey(t.lock);
  return event.locks.find((lock) => sameBytes(lock.key, key)) ?? null;
}

/** An RPC said that the lock was made or ended already, and a later look does not show that: it is tried again. */
export function mistaken(p: { readonly halted?: Unix }, event: Event): boolean {
  return event.is === 'evm.seen' && p.halted !== undefined && lookedAfter(p.halted, event.asked);
}

/** The end of our lock is buried. */
export function isBuried(t: T, { confirmations }: { readonly confirmations: number }): boolean {
  return confirmations >= t.burial;
}

/**
 * The client claimed our lock on chain, by whomever it was sent: its secret opens what it gave, and from here on our
 * lock is never refunded. A secret that was only told opens nothing (DECISIONS.md, "The fence is the state").
 */
export function redeemed(t: T, lock: SeenLock, sent: string | null, relay: Relay | null): Fact | null {
  if (lock.state.is !== 'redeemed') return null;
  const preimage = preimageMatches(t.hash, lock.state.preimage);
  if (preimage === null) return null;
  return {
    fact: 'revealed',
    revealed: { sent, fundTxid: lock.txid, redeemTxid: lock.state.txid, relay },
    // A refund of ours that was not signed yet would only race a claim that already happened.
    along: { supersedes: true, learned: preimage },
  };
}
