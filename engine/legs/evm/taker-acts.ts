import type { EvmAddress } from '../../domain/evm.ts';
import type { Call } from './contracts.ts';
import type { LockTerms } from './swap-key.ts';
import type { TakerEvmKey } from './taker-key.ts';

/**
 * A claim of a lock that a provider made for one of our keys: all that its signature says, taken from what we verified.
 */
export interface TakerClaim {
  readonly lock: LockTerms;
  /** None as a machine asks for it: where another token is wanted, those of our own exchange are made at the act. */
  readonly calls: readonly Call[];
  /** Zero for the native coin. Another token than that of the lock is one that the calls bring. */
  readonly sweepToken: EvmAddress;
  /** Smallest units: whatever anybody says at the act, no signature says less. */
  readonly minAmountOut: bigint;
  readonly destination: EvmAddress;
  readonly key: TakerEvmKey;
}

/**
 * Tokens of one of our accounts that a signature locks, whoever sends it. The nonce of a swap is always the same, so
 * that Permit2 takes them once, however often and by whomever it is sent.
 */
export interface TakerFunding {
  readonly lock: Omit<LockTerms, 'amount'>;
  /** Smallest units of the token of the lock. */
  readonly amount: bigint;
  readonly nonce: bigint;
  /** Unix seconds of the chain's clock. */
  readonly deadline: bigint;
  readonly key: TakerEvmKey;
  /** Another token is given, of which the calls of our own exchange, made at the act, make exactly `amount`. */
  readonly spend?: TakerSpend;
}

export interface TakerSpend {
  readonly token: EvmAddress;
  /** Smallest units of that token: whatever anybody says at the act, no signature gives more. */
  readonly most: bigint;
  /** Hundredths of a percent by which the exchange may come out worse than its price at the act. */
  readonly slippageBps: number;
}

/** Most that leaves the account by a funding: of which token, in its smallest units. */
export function leavesBy({ lock, amount, spend }: TakerFunding): {
  readonly token: EvmAddress;
  readonly amount: bigint;
} {
  return spend === undefined ? { token: lock.token, amount } : { token: spend.token, amount: spend.most };
}
