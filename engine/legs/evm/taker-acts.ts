import { z } from 'zod';
import type { EvmAddress } from '../../domain/evm.ts';
import { listOf, type ValueOf } from '../shape.ts';
import { evmAddress, evmCall, lockFields, lockTerms, takerEvmKey } from './shape.ts';

/**
 * A claim of a lock that a provider made for one of our keys: all that its signature says, taken from what we verified.
 */
export const takerClaim = {
  lock: lockTerms,
  /** None as a machine asks for it: where another token is wanted, those of our own exchange are made at the act. */
  calls: listOf(evmCall),
  /** Zero for the native coin. Another token than that of the lock is one that the calls bring. */
  sweepToken: evmAddress,
  /** Smallest units: whatever anybody says at the act, no signature says less. */
  minAmountOut: z.bigint(),
  /** Hundredths of a percent by which its exchange may come out worse than its price at the act. */
  slippageBps: z.number().exactOptional(),
  destination: evmAddress,
  key: takerEvmKey,
};
export type TakerClaim = ValueOf<typeof takerClaim>;

const takerSpend = z.strictObject({
  token: evmAddress,
  /** Smallest units of that token: whatever anybody says at the act, no signature gives more. */
  most: z.bigint(),
  /** Hundredths of a percent by which the exchange may come out worse than its price at the act. */
  slippageBps: z.number(),
});

/**
 * Tokens of one of our accounts that a signature locks, whoever sends it. The nonce of a swap is always the same, so
 * that Permit2 takes them once, however often and by whomever it is sent.
 */
export const takerFunding = {
  lock: z.strictObject(lockFields),
  /** Smallest units of the token of the lock. */
  amount: z.bigint(),
  nonce: z.bigint(),
  /** Unix seconds of the chain's clock. */
  deadline: z.bigint(),
  key: takerEvmKey,
  /** Another token is given, of which the calls of our own exchange, made at the act, make exactly `amount`. */
  spend: takerSpend.exactOptional(),
};
export type TakerFunding = ValueOf<typeof takerFunding>;

/** Most that leaves the account by a funding: of which token, in its smallest units. */
export function leavesBy({ lock, amount, spend }: TakerFunding): {
  readonly token: EvmAddress;
  readonly amount: bigint;
} {
  return spend === undefined ? { token: lock.token, amount } : { token: spend.token, amount: spend.most };
}
