import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import type { Locktime, TimedBy, Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';

/**
 * The client's coin on the chain that must still be there, deep enough, whole, and timelocked for longer than what is
 * locked against it.
 */
export interface StillFunded {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly sourceAmount: Sats;
  /** Blocks that it must be in and under. */
  readonly confirmations: number;
  /** Of the client's refund on the chain. */
  readonly refundLocktime: Locktime;
  /** Of our refund of what is locked. */
  readonly lockRefundLocktime: Unix;
  readonly policy: TimeoutPolicy;
}

/** The same for a lock on an EVM chain. */
export interface StillFundedForLock extends Omit<StillFunded, 'lockRefundLocktime'> {
  readonly network: EvmNetwork;
  /** Of our lock, by that chain's clock. */
  readonly timelock: Unix;
}

/** The client's coin on the chain that must still be there, deep enough, whole, and for long enough to pay for it. */
export interface StillFundedForPayment {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly sourceAmount: Sats;
  /** Blocks that it must be in and under. */
  readonly confirmations: number;
  /** Of the client's refund on the chain. */
  readonly refundLocktime: Locktime;
  readonly finalCltv: number;
  readonly invoiceExpiresAt: Unix;
  readonly policy: TimeoutPolicy;
}

/**
 * The provider's coin on the chain that must still lie there, whole, deep, and for long enough to show the secret that
 * claims it.
 */
export interface StillPaidOut {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly targetAmount: Sats;
  /** Of the provider's refund on the chain. */
  readonly refundLocktime: Locktime;
  readonly policy: TimeoutPolicy;
}

/** What the Bitcoin chain must still show when an act is begun. */
export interface OnchainConditions {
  readonly funded?: StillFunded;
  readonly fundedForLock?: StillFundedForLock;
  readonly paidOut?: StillPaidOut;
  readonly fundedForPayment?: StillFundedForPayment;
}

/**
 * By which clock an act is late that depends on it: locktimes on this chain are judged by median time past, a lock on
 * an EVM chain by the chain that it is made on.
 */
export const onchainTimedBy: TimedBy<OnchainConditions> = {
  funded: () => 'bitcoin',
  fundedForLock: ({ network }) => network,
  paidOut: () => 'bitcoin',
  fundedForPayment: () => 'bitcoin',
};
