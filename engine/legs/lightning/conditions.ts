import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Locktime, TimedBy, Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';

/** A payment that must still be held, for long enough. */
export interface StillHeld {
  readonly hash: Sha256;
  readonly sourceAmount: Sats;
  readonly vhtlcRefundLocktime: Unix;
  readonly policy: TimeoutPolicy;
}

/** The same for a lock on an EVM chain. */
export interface StillHeldForLock {
  readonly hash: Sha256;
  readonly sourceAmount: Sats;
  readonly network: EvmNetwork;
  /** Of our lock, by that chain's clock. */
  readonly timelock: Unix;
  readonly policy: TimeoutPolicy;
}

/** The same for an HTLC of ours on the Bitcoin chain. */
export interface StillHeldForCoin {
  readonly hash: Sha256;
  readonly sourceAmount: Sats;
  /** Of our refund on the chain. */
  readonly htlcRefundLocktime: Locktime;
  readonly policy: TimeoutPolicy;
}

/** What Lightning must still show when an act is begun. */
export interface LightningConditions {
  readonly held?: StillHeld;
  readonly hold?: StillHeldForLock;
  readonly heldForCoin?: StillHeldForCoin;
}

/**
 * By which clock an act is late that depends on it: a lock for a held payment ends at a timelock, which the chain
 * that it is made on judges.
 */
export const lightningTimedBy: TimedBy<LightningConditions> = {
  held: () => 'bitcoin',
  hold: ({ network }) => network,
  heldForCoin: () => 'bitcoin',
};
