import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import type { Locktime, TimedBy, Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';

/** The client's coin that must still be there, whole, and timelocked for long enough. */
export interface StillLocked {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly sourceAmount: Sats;
  readonly refundLocktime: Unix;
  readonly finalCltv: number;
  readonly invoiceExpiresAt: Unix;
  readonly policy: TimeoutPolicy;
}

/** The coin for which a preimage leaves us: it must still be there, whole, and ours for long enough. */
export interface StillClaimable {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly targetAmount: Sats;
  readonly refundLocktime: Unix;
  readonly policy: TimeoutPolicy;
}

/**
 * The client's coin that must still be there, whole, and timelocked for longer than what is locked against it on an EVM
 * chain.
 */
export interface StillBacking {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly sourceAmount: Sats;
  readonly refundLocktime: Unix;
  readonly network: EvmNetwork;
  /** Of the lock, by that chain's clock. */
  readonly timelock: Unix;
  readonly policy: TimeoutPolicy;
}

/** The same for an HTLC of ours on the Bitcoin chain. */
export interface StillBackingCoin extends Omit<StillBacking, 'network' | 'timelock'> {
  /** Of our refund on the chain. */
  readonly htlcRefundLocktime: Locktime;
}

/** What Arkade must still show when an act is begun. */
export interface ArkadeConditions {
  readonly coin?: StillLocked;
  readonly backing?: StillBacking;
  readonly backingForCoin?: StillBackingCoin;
  readonly reveal?: StillClaimable;
}

/**
 * By which clock an act is late that depends on it. A claim ends at a timelock, which the chain judges, and so does a
 * lock, by the chain that it is made on; a payment for a locked coin is tried by the wall for as long as its client was
 * promised, and what is safe is judged beside that.
 */
export const arkadeTimedBy: TimedBy<ArkadeConditions> = {
  reveal: () => 'bitcoin',
  coin: () => 'wall',
  backing: ({ network }) => network,
  backingForCoin: () => 'bitcoin',
};
