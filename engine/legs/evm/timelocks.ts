import type { EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import {
  after,
  furthest,
  laterOf,
  seconds,
  unix,
  type ChainClock,
  type Clocks,
  type ReadClocks,
  type Seconds,
  type Unix,
} from '../../domain/time.ts';
import { clientLegFor } from '../spans.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import type { LockTerms } from './swap-key.ts';

/*
 * Timeouts of swaps with a leg on an EVM chain, by the rules of `../timelocks.ts`: that chain's clock is the time of
 * its latest block, and judges its timelocks alone (facts/faults.md 60).
 */

/** How far an EVM chain has come at least; null while it was never read, or is silent for too long. */
export function evmTime(clocks: Clocks, network: EvmNetwork): Unix | null {
  const chain: ChainClock | undefined = clocks[network];
  return chain === undefined ? null : furthest(chain).mtp;
}

/** From then on, by its chain's clock, a lock can be taken back. */
export function lockEnd({ lock }: { readonly lock: Pick<LockTerms, 'timelock'> }): Unix {
  return unix(Number(lock.timelock));
}

/** True once our own lock can be taken back: the contract compares its timelock with the time of the block (`>=`). */
export function timelockPassed(timelock: Unix, clocks: Clocks, network: EvmNetwork): boolean {
  const time = evmTime(clocks, network);
  return time !== null && time >= timelock;
}

/** A lock of ours on an EVM chain, whatever the client gives for it. */
export interface LockLeg {
  /** Unix seconds from which on our lock can be taken back, judged by the EVM chain's block time. */
  readonly timelock: Unix;
  /** Nothing is locked after this moment of the EVM chain's clock: the client would have too little time to claim. */
  readonly lockBefore: Unix;
  /** End of the funding window, by the wall clock. */
  readonly fundBefore: Unix;
}

/** A VHTLC that the client funds, and a lock of ours on an EVM chain against it. */
export interface EvmLockLegs extends LockLeg {
  /** Unix seconds of the client's refund of the VHTLC, judged by median time past. */
  readonly refundLocktime: Unix;
  /** The client's coin must not expire before this: past a coin's expiry timelocks protect nobody. */
  readonly minCoinExpiry: Unix;
}

/**
 * Our lock on an EVM chain, counted from the clock that is behind (facts/timelocks.md 25), and longer by what is waited
 * for before it is made. Refused where the clocks are so far apart that the client would be left without its time to
 * claim.
 */
export function lockLeg(ask: {
  clocks: ReadClocks;
  network: EvmNetwork;
  policy: TimeoutPolicy;
  wait?: Seconds;
}): LockLeg | Refusal {
  const { clocks, network, policy, wait = 0 } = ask;
  const chain = clocks[network]?.mtp ?? null;
  const furthestTime = evmTime(clocks, network);
  if (chain === null || furthestTime === null)
    return refuse('unavailable', 'The clock of the EVM chain cannot be read now: try again later.');
  const timelock = after(unix(Math.min(clocks.wall, chain)), seconds(policy.serverLeg + wait));
  const lockBefore = unix(Math.max(0, timelock - policy.leastClaimTime));
  if (lockBefore < furthestTime + policy.fundingWindow)
    return refuse(
      'unavailable',
      'The clocks of this node and of the EVM chain are too far apart for a swap in this direction: try again later.',
    );
  return { timelock, lockBefore, fundBefore: after(clocks.wall, policy.fundingWindow) };
}

/**
 * Arkade to EVM (facts/timelocks.md 1 to 3, 25): the client's VHTLC counts from the clock that is ahead, our lock from
 * the one that is behind. The VHTLC outlives our lock, either clock trailing as far as it may (`clientLegFor`); too
 * short, and a client that claimed our lock at its end takes the VHTLC back too.
 */
export function evmLockLegs(ask: {
  clocks: ReadClocks;
  network: EvmNetwork;
  policy: TimeoutPolicy;
}): EvmLockLegs | Refusal {
  const { clocks, network, policy } = ask;
  const lock = lockLeg(ask);
  if (isRefusal(lock)) return lock;
  const clientLeg = clientLegFor({ sure: 'bitcoin', given: network }, policy);
  const furthestTime = evmTime(clocks, network) ?? 0;
  const refundLocktime = after(unix(Math.max(laterOf(clocks), furthestTime)), clientLeg);
  return { ...lock, refundLocktime, minCoinExpiry: after(refundLocktime, policy.margin) };
}
