import type { EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import {
  after,
  blockInterval,
  earlierOf,
  furthest,
  type Height,
  height,
  hour,
  laterOf,
  seconds,
  unix,
  type ReadClocks,
  type Seconds,
  type Unix,
} from '../../domain/time.ts';
import { evmTime, lockLeg, type LockLeg } from '../evm/timelocks.ts';
import { fewestFor } from '../block-times.ts';
import { clientLegFor, htlcSpan, openFor, vhtlcSpan } from '../spans.ts';
import { blocksUp, coinsUntil } from '../timelocks.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';

/*
 * Timeouts of swaps with a leg on the Bitcoin chain, by the rules of `../timelocks.ts`: its locktimes are judged by
 * median time past, and pass only when that is above them (facts/timelocks.md 11).
 */

/**
 * A lock that the client makes on an EVM chain, and an HTLC of ours against it, on the Bitcoin chain or on Arkade:
 * median time past judges either.
 */
export interface LockLegs {
  /** Unix seconds from which on the client can take its lock back, judged by the EVM chain's block time. */
  readonly timelock: Unix;
  /** Unix seconds of our refund of the HTLC, judged by median time past. */
  readonly htlcRefundLocktime: Unix;
  /** End of the funding window, by the wall clock. */
  readonly fundBefore: Unix;
  /**
   * How long the client's lock is waited for to be buried, by the clock of its chain; what is safe is judged at the
   * funding itself.
   */
  readonly payBefore: Unix;
  /** Nothing is funded after this moment of median time past: the client would have too little time to claim. */
  readonly lockBefore: Unix;
}

/**
 * EVM to Bitcoin, and to Arkade (facts/timelocks.md 1, 2, 26): the client's lock counts from the clock that is ahead,
 * our HTLC from the one that is behind, so that here the EVM side is the longer one. Too short, and a client that
 * claimed ours at its end takes its lock back too: the whole payout is lost. Refused where the chains' clocks are so
 * far apart that the client would be left without its time to claim.
 */
export function legsForLock(ask: {
  clocks: ReadClocks;
  network: EvmNetwork;
  policy: TimeoutPolicy;
}): LockLegs | Refusal {
  const { clocks, network, policy } = ask;
  const chain = clocks[network]?.mtp ?? null;
  const furthestTime = evmTime(clocks, network);
  if (chain === null || furthestTime === null)
    return refuse('unavailable', 'The clock of the EVM chain cannot be read now: try again later.');
  const htlcRefundLocktime = after(earlierOf(clocks), policy.serverLeg);
  const lockBefore = unix(Math.max(0, htlcRefundLocktime - policy.mtpLag - policy.leastClaimTime));
  if (lockBefore < (furthest(clocks.bitcoin).mtp ?? clocks.bitcoin.mtp) + policy.fundingWindow)
    return refuse(
      'unavailable',
      'The clocks of this node and of Bitcoin are too far apart for a swap in this direction: try again later.',
    );
  return {
    timelock: after(
      unix(Math.max(laterOf(clocks), furthestTime)),
      clientLegFor({ sure: network, given: 'bitcoin' }, policy),
    ),
    htlcRefundLocktime,
    fundBefore: after(clocks.wall, policy.fundingWindow),
    payBefore: after(furthestTime, seconds(policy.fundingWindow + Math.floor(policy.margin / 2))),
    lockBefore,
  };
}

/**
 * A block takes longer than this once in 400 times, and two more than twice as long once in 12,000 (facts/timelocks.md
 * 27).
 */
const longBlock = hour;

/**
 * Seconds from the first confirmation of a coin to the last that is waited for: nothing where one is enough. Wrong: a
 * coin that was mined in time finds too little left for its swap.
 */
export function burialWait(confirmations: number): Seconds {
  return seconds((confirmations - 1) * longBlock);
}

/**
 * The last moment of median time past at which a coin may be in no block yet: later its last confirmation would come
 * after `giveBefore`.
 */
export function mineBefore(giveBefore: Unix, confirmations: number): Unix {
  return unix(Math.max(0, giveBefore - burialWait(confirmations)));
}

/**
 * The last moment for what is given for a coin that fewer confirmations are waited for than was thought: its first one
 * comes by the same moment. Never later, for what is given has to end in time.
 */
export function soonerBy(giveBefore: Unix, confirmations: { readonly was: number; readonly is: number }): Unix {
  const { was, is } = confirmations;
  return unix(Math.max(0, giveBefore - Math.max(0, burialWait(was) - burialWait(is))));
}

/** How far the chain has come by any reading of it. */
export function tipOf({ bitcoin }: ReadClocks): Height {
  return height(Math.max(bitcoin.height, furthest(bitcoin).height ?? 0));
}

/**
 * From this height of the tip on an HTLC of ours can be taken back that is made now: as many blocks as come in the
 * service's leg on average, and never so few that they may be over before its client has had its time to claim, blocks
 * coming fast.
 */
export function serviceHeight(clocks: ReadClocks, policy: TimeoutPolicy): Height {
  const { serverLeg, fundingWindow, leastClaimTime } = policy;
  const least = blocksUp(fundingWindow + leastClaimTime, policy) + 1;
  return height(tipOf(clocks) + Math.max(Math.ceil(serverLeg / blockInterval), least));
}

/**
 * Until when something is given for what the client funds, where a height ends ours or its own: as long as where a time
 * does. `wait`: what is waited for after its first confirmation. Refused where the clocks are so far apart that nothing
 * would be left of the funding window.
 */
export function fundingTimes(
  clocks: ReadClocks,
  { serverLeg, mtpLag, leastClaimTime, fundingWindow }: TimeoutPolicy,
  wait = seconds(0),
): { readonly fundBefore: Unix; readonly lockBefore: Unix } | Refusal {
  const lockBefore = unix(Math.max(0, after(earlierOf(clocks), serverLeg) + wait - mtpLag - leastClaimTime));
  if (lockBefore - wait < (furthest(clocks.bitcoin).mtp ?? clocks.bitcoin.mtp) + fundingWindow)
    return refuse(
      'unavailable',
      'The clocks of this node and of Bitcoin are too far apart for a swap in this direction: try again later.',
    );
  return { fundBefore: after(clocks.wall, fundingWindow), lockBefore };
}

/** A VHTLC that the client funds, and an HTLC of ours on the Bitcoin chain against it, which ends at a height. */
export interface VhtlcCoinLegs {
  /** Unix seconds of the client's refund of the VHTLC, by median time past. */
  readonly refundLocktime: Unix;
  /** Of our refund of the HTLC: from this height of the tip on. */
  readonly htlcRefundHeight: Height;
  /** End of the funding window, by the wall clock. */
  readonly fundBefore: Unix;
  /** Nothing is funded after this moment of median time past; whether the client has its blocks is judged beside it. */
  readonly lockBefore: Unix;
  /** A coin of the client's must not expire before this: past a coin's expiry timelocks protect nobody. */
  readonly minCoinExpiry: Unix;
}

/**
 * Arkade to Bitcoin (facts/timelocks.md 1, 28): the client's VHTLC outlives our HTLC although its blocks come as slowly
 * as they do once in a million swaps, and although none comes in the funding window and an hour beyond. Too short, and
 * the client claims the coin at its end and takes its VHTLC back too: the whole coin is lost. Refused where the clocks
 * are so far apart that nothing would be left of the funding window.
 */
export function legsForVhtlc(ask: { clocks: ReadClocks; policy: TimeoutPolicy }): VhtlcCoinLegs | Refusal {
  const { clocks, policy } = ask;
  const window = fundingTimes(clocks, policy);
  if (isRefusal(window)) return window;
  const htlcRefundHeight = serviceHeight(clocks, policy);
  const open = openFor(htlcSpan(htlcRefundHeight), clocks, policy) ?? 0;
  const needed = policy.fundingWindow + longBlock + policy.mtpLag + open + policy.margin;
  const refundLocktime = after(laterOf(clocks), seconds(Math.max(policy.clientLeg, needed)));
  return { ...window, refundLocktime, htlcRefundHeight, minCoinExpiry: after(refundLocktime, policy.margin) };
}

/** An HTLC that the client funds on the Bitcoin chain, and a VHTLC of ours against it. Median time past judges both. */
export interface CoinLegs {
  /** Unix seconds of the client's refund of the HTLC. */
  readonly refundLocktime: Unix;
  /** Unix seconds of our refund of the VHTLC. */
  readonly vhtlcRefundLocktime: Unix;
  /** End of the funding window, by the wall clock. */
  readonly fundBefore: Unix;
  /**
   * Nothing is locked after this moment of median time past: the client would have too little time to claim. A coin has
   * to be mined by `mineBefore`.
   */
  readonly lockBefore: Unix;
  /** Coins given to the VHTLC must not expire before this: past a coin's expiry timelocks protect nobody. */
  readonly minCoinExpiry: Unix;
}

/**
 * Bitcoin to Arkade (facts/timelocks.md 1, 2, 11): the client's HTLC counts from the clock that is ahead, our VHTLC
 * from the one that is behind, and both are longer by what is waited for after the coin's first confirmation. Too
 * short, and a client that claimed the VHTLC at its end takes its bitcoin back too: the whole VHTLC is lost. Refused
 * where the clocks are so far apart that the client would be left without its time to claim.
 */
export function legsForCoin(ask: {
  clocks: ReadClocks;
  policy: TimeoutPolicy;
  /** Of the client's coin before anything is given for it. */
  confirmations: number;
}): CoinLegs | Refusal {
  const { clocks, policy, confirmations } = ask;
  const { serverLeg, mtpLag, leastClaimTime, fundingWindow } = policy;
  const wait = burialWait(confirmations);
  const vhtlcRefundLocktime = after(earlierOf(clocks), seconds(serverLeg + wait));
  const lockBefore = unix(Math.max(0, vhtlcRefundLocktime - mtpLag - leastClaimTime));
  if (mineBefore(lockBefore, confirmations) < (furthest(clocks.bitcoin).mtp ?? clocks.bitcoin.mtp) + fundingWindow)
    return refuse(
      'unavailable',
      'The clocks of this node and of Bitcoin are too far apart for a swap in this direction: try again later.',
    );
  return {
    refundLocktime: after(laterOf(clocks), seconds(clientLegFor({ sure: 'bitcoin', given: 'bitcoin' }, policy) + wait)),
    vhtlcRefundLocktime,
    fundBefore: after(clocks.wall, fundingWindow),
    lockBefore,
    minCoinExpiry: coinsUntil(vhtlcRefundLocktime, policy),
  };
}

/** The same, where the client's HTLC ends at a height. */
export interface CoinHeightLegs extends Omit<CoinLegs, 'refundLocktime'> {
  /** Of the client's refund of the HTLC: from this height of the tip on. */
  readonly refundHeight: Height;
}

/**
 * Bitcoin to Arkade, by a height (facts/timelocks.md 28): the client's HTLC outlives our VHTLC although its blocks come
 * as fast as they do once in a million swaps, and although in the funding window and while the coin is buried they come
 * fast and median time past stands still. Too short, and a client that claimed the VHTLC at its end takes its bitcoin
 * back too: the whole VHTLC is lost.
 */
export function legsForCoinByHeight(ask: Parameters<typeof legsForCoin>[0]): CoinHeightLegs | Refusal {
  const legs = legsForCoin(ask);
  if (isRefusal(legs)) return legs;
  const { clocks, policy, confirmations } = ask;
  const { refundLocktime: _, ...ours } = legs;
  const open = openFor(vhtlcSpan(ours.vhtlcRefundLocktime), clocks, policy) ?? 0;
  const waits = blocksUp(policy.fundingWindow + burialWait(confirmations), policy) + confirmations;
  const needed = waits + fewestFor(open + policy.margin, policy);
  return {
    ...ours,
    refundHeight: height(tipOf(clocks) + Math.max(Math.ceil(policy.clientLeg / blockInterval), needed)),
  };
}

/** An HTLC that the client funds on the Bitcoin chain, and a lock of ours on an EVM chain against it. */
export interface CoinLockLegs extends LockLeg {
  /** Unix seconds of the client's refund of the HTLC, judged by median time past. */
  readonly refundLocktime: Unix;
  /**
   * No coin counts after this moment of median time past, however far that trails the clock of the EVM chain. It has to
   * be mined by `mineBefore`.
   */
  readonly giveBefore: Unix;
}

/**
 * Bitcoin to EVM (facts/timelocks.md 1, 2, 25, 27): the client's HTLC counts from the clock that is ahead, our lock
 * from the one that is behind, and both are longer by what is waited for after the coin's first confirmation. The lock
 * can be claimed until our refund took it: too short, and a client that claimed it at its end takes its bitcoin back
 * too, and all of the lock is lost. Refused where the clocks are so far apart that the client would be left without its
 * time to claim.
 */
export function coinLockLegs(ask: {
  clocks: ReadClocks;
  network: EvmNetwork;
  policy: TimeoutPolicy;
  /** Of the client's coin before anything is given for it. */
  confirmations: number;
}): CoinLockLegs | Refusal {
  const { clocks, network, policy, confirmations } = ask;
  const wait = burialWait(confirmations);
  const lock = lockLeg({ clocks, network, policy, wait });
  if (isRefusal(lock)) return lock;
  const giveBefore = unix(Math.max(0, lock.lockBefore - policy.mtpLag));
  if (
    mineBefore(giveBefore, confirmations) <
    (furthest(clocks.bitcoin).mtp ?? clocks.bitcoin.mtp) + policy.fundingWindow
  )
    return refuse(
      'unavailable',
      'The clocks of Bitcoin and of the EVM chain are too far apart for a swap in this direction: try again later.',
    );
  const clientLeg = clientLegFor({ sure: 'bitcoin', given: network }, policy);
  const latest = Math.max(laterOf(clocks), evmTime(clocks, network) ?? 0);
  return { ...lock, refundLocktime: after(unix(latest), seconds(clientLeg + wait)), giveBefore };
}
