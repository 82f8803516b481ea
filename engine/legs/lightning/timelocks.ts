import type { EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/errors.ts';
import {
  after,
  type ChainClock,
  blockInterval,
  earlierOf,
  furthest,
  type Height,
  height,
  type ReadClocks,
  seconds,
  type Unix,
  unix,
} from '../../domain/time.ts';
import { fewestFor } from '../block-times.ts';
import { lockLeg, type LockLeg } from '../evm/timelocks.ts';
import {
  htlcSpan,
  latestOn,
  lockSpan,
  openFor,
  sureFor,
  vhtlcSpan,
  type OursToClaim,
  type TheirsToClaim,
} from '../spans.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { blocksAfter, blocksUp, coinsUntil } from '../timelocks.ts';
import { burialWait, fundingTimes, serviceHeight, tipOf } from '../onchain/timelocks.ts';

/*
 * Timeouts of swaps with a leg over Lightning, by the rules of `../timelocks.ts`: its HTLCs time out at heights.
 */

/** Blocks that surely come within a span even when blocks come slowly, rounded down; never negative. */
function blocksWithinDown(span: number, policy: TimeoutPolicy): number {
  return Math.max(0, Math.floor(span / policy.slowBlock));
}

/** A leg that the client funds and a Lightning payment empties. */
export interface PayoutLeg {
  /** Unix seconds of the client's refund. */
  readonly refundLocktime: Unix;
  /** No HTLC of the payment may time out above this height. */
  readonly maxTimeoutHeight: number;
  /**
   * How long the client is waited for and the payment tried, by the wall clock, or by that of the EVM chain that it
   * locked on; what is safe is judged at the start itself.
   */
  readonly payBefore: Unix;
}

/**
 * The client's leg of a Lightning payout (facts/timelocks.md 4): max(24 h, (final CLTV + 144 + 32) x 12.5 min + 2 h),
 * at most 7 days, from the clock that is ahead. Too short, and a payment settles after the client took its refund: the
 * whole payout is lost. Where the chain's clock lags, some of the 144 blocks are not given to the route (`payHeight`).
 * `network`: the chain that the client locks on, where median time past does not judge its lock.
 */
export function payoutLeg(ask: {
  clocks: ReadClocks;
  network?: EvmNetwork;
  finalCltv: number;
  policy: TimeoutPolicy;
}): PayoutLeg | Refusal {
  const { clocks, network, finalCltv, policy } = ask;
  const beyond = policy.routeBlocks + (policy.resolveBlocks ?? 0);
  const leg = Math.max(policy.clientLeg, (finalCltv + beyond) * policy.slowBlock + policy.margin);
  if (leg > policy.longestLeg) {
    const most = Math.floor((policy.longestLeg - policy.margin) / policy.slowBlock) - beyond;
    return refuse(
      'invalid',
      `The invoice asks for a final CLTV delta of ${finalCltv} blocks; at most ${most} fit into the longest lock ` +
        `of ${policy.longestLeg} seconds. Ask the payee for an invoice with a smaller delta.`,
    );
  }
  const chain: ChainClock | undefined = clocks[network ?? 'bitcoin'];
  if (chain === undefined || chain.mtp === null)
    return refuse('unavailable', 'The clock of this chain cannot be read now: try again later.');
  const refundLocktime = after(unix(Math.max(clocks.wall, furthest(chain).mtp ?? 0)), seconds(leg));
  const sure = network === undefined ? vhtlcSpan(refundLocktime) : lockSpan(network, refundLocktime);
  return {
    refundLocktime,
    maxTimeoutHeight: payHeight({ clocks, sure, policy }),
    payBefore: after(
      network === undefined ? clocks.wall : chain.mtp,
      seconds(policy.fundingWindow + Math.floor(policy.margin / 2)),
    ),
  };
}

/**
 * The highest timeout that a payment for `sure` may have if it is started now, its way over the chain and the margin
 * included, with every block coming slowly: the last height that `outlives` allows. Given to the Lightning node at each
 * start, and never above the height pinned at creation: blocks may have come faster or slower since. Too high, and the
 * payment settles after the client took its own back.
 */
export function payHeight(ask: { clocks: ReadClocks; sure: OursToClaim; policy: TimeoutPolicy }): number {
  const { clocks, sure, policy } = ask;
  const { resolveBlocks = 0 } = policy;
  if (sure.clock === 'height') return sure.surelyOursUntil - blocksUp(policy.margin, policy) - resolveBlocks;
  const left = (sureFor(sure, clocks, policy) ?? 0) - policy.margin - resolveBlocks * policy.slowBlock;
  return clocks.bitcoin.height + blocksWithinDown(left, policy);
}

/** A hold invoice and the VHTLC that the service locks against it. */
export interface HoldLeg {
  /** Unix seconds of the service's refund of the VHTLC. */
  readonly vhtlcRefundLocktime: Unix;
  /** End of the funding window, by the wall clock: the invoice's expiry. */
  readonly fundBefore: Unix;
  /** Final CLTV delta of the hold invoice, in blocks: `minHoldBlocks` and a few that may come before the lock. */
  readonly cltvDelta: number;
  /** Nothing is locked after this moment of the chain's clock: the client would have too little time to claim. */
  readonly lockBefore: Unix;
  /**
   * How far above the tip a held payment must time out for the VHTLC to be locked at any moment before `lockBefore`.
   */
  readonly minHoldBlocks: number;
  /**
   * Blocks before a held payment's timeout at which the service must be done with it: lnd's own cancel plus reaction.
   */
  readonly stopBlocks: number;
  /** Coins given to the VHTLC must not expire before this: past a coin's expiry timelocks protect nobody. */
  readonly minCoinExpiry: Unix;
}

/**
 * Where the client pays a held invoice and we lock on Arkade (facts/timelocks.md 6): the VHTLC counts from the clock
 * that is behind; the held payment outlives its refund locktime by the lag of median time past, the margin, and the
 * blocks in which lnd would cancel by itself. Too short, and the client claims the VHTLC after the payment went back:
 * the whole VHTLC is lost. Refused where the wall is so far behind that the client would be left without its time to
 * claim.
 */
export function holdLeg(ask: { clocks: ReadClocks; policy: TimeoutPolicy }): HoldLeg | Refusal {
  const { clocks, policy } = ask;
  const vhtlcRefundLocktime = after(earlierOf(clocks), policy.serverLeg);
  const lockBefore = unix(Math.max(0, vhtlcRefundLocktime - policy.mtpLag - policy.leastClaimTime));
  const minHoldBlocks = holdBlocks({ clocks, given: vhtlcSpan(vhtlcRefundLocktime), policy });
  if (minHoldBlocks === null || lockBefore < clocks.bitcoin.mtp + policy.fundingWindow)
    return refuse(
      'unavailable',
      'The clocks of this node and of Bitcoin are too far apart for a swap in this direction: try again later.',
    );
  return {
    vhtlcRefundLocktime,
    fundBefore: after(clocks.wall, policy.fundingWindow),
    cltvDelta: minHoldBlocks + policy.reactionBlocks,
    lockBefore,
    minHoldBlocks,
    stopBlocks: stopBlocks(policy),
    minCoinExpiry: coinsUntil(vhtlcRefundLocktime, policy),
  };
}

/** A hold invoice and the lock on an EVM chain that the service makes against it. */
export interface HoldLockLegs extends LockLeg {
  /** Final CLTV delta of the hold invoice, in blocks. */
  readonly cltvDelta: number;
  /**
   * Our refund of the lock is final by then, by the EVM chain's clock: the payment is held for longer, that clock
   * trailing as far as it may. A claim of the client's may come until that refund is in a block.
   */
  readonly back: Unix;
}

/**
 * Where the client pays a held invoice and we lock on an EVM chain (facts/timelocks.md 6, 25). The contract asks no
 * time of a claim, so that the held payment outlives not the timelock but our refund. Too short, and the client claims
 * the lock after the payment went back: the whole lock is lost.
 */
export function holdLockLegs(ask: {
  clocks: ReadClocks;
  network: EvmNetwork;
  policy: TimeoutPolicy;
}): HoldLockLegs | Refusal {
  const { clocks, network, policy } = ask;
  const lock = lockLeg(ask);
  if (isRefusal(lock)) return lock;
  const blocks = holdBlocks({ clocks, given: lockSpan(network, lock.timelock), policy });
  if (blocks === null) return refuse('unavailable', 'The clock of the EVM chain cannot be read now: try again later.');
  return { ...lock, cltvDelta: blocks + policy.reactionBlocks, back: after(lock.timelock, policy.margin) };
}

/** A hold invoice and the HTLC on the Bitcoin chain that the service funds against it. */
export interface HoldCoinLegs {
  /** Of the service's refund of the HTLC: from this height of the tip on. */
  readonly htlcRefundHeight: Height;
  /** End of the funding window, by the wall clock: the invoice's expiry. */
  readonly fundBefore: Unix;
  /** Nothing is funded after this moment of median time past; whether the client has its blocks is judged beside it. */
  readonly lockBefore: Unix;
  /** Final CLTV delta of the hold invoice, in blocks. */
  readonly cltvDelta: number;
  /** Our refund of the HTLC is to be final at this height of the tip; the payment is held for longer. */
  readonly back: Height;
}

/**
 * Where the client pays a held invoice and we fund an HTLC on the Bitcoin chain (facts/timelocks.md 6, 29). Both end at
 * heights, and are compared as heights: whether blocks come fast or slowly makes neither outlive the other. Too short,
 * and the client claims the coin after the payment went back: all of it is lost. The refund of a coin pays for its
 * place in a block, so that it has twice the margin before the payment may be gone, and is judged safe with one.
 */
export function holdCoinLegs(ask: { clocks: ReadClocks; policy: TimeoutPolicy }): HoldCoinLegs | Refusal {
  const { clocks, policy } = ask;
  const window = fundingTimes(clocks, policy);
  if (isRefusal(window)) return window;
  const htlcRefundHeight = serviceHeight(clocks, policy);
  const blocks = holdBlocks({ clocks, given: htlcSpan(htlcRefundHeight), policy }) ?? 0;
  return {
    ...window,
    htlcRefundHeight,
    cltvDelta: blocks + blocksUp(policy.margin, policy) + policy.reactionBlocks,
    back: blocksAfter(htlcRefundHeight, 2 * policy.margin, policy),
  };
}

/** An HTLC that the client funds on the Bitcoin chain, and a payment of ours for it. */
export interface CoinPayoutLegs {
  /** Of the client's refund: from this height of the tip on. */
  readonly refundHeight: Height;
  /** No HTLC of the payment may time out above this height. */
  readonly maxTimeoutHeight: number;
  /** End of the funding window, by the wall clock. */
  readonly fundBefore: Unix;
  /** No payment is started after this moment of median time past; a coin has to be mined by `mineBefore`. */
  readonly lockBefore: Unix;
}

/**
 * Bitcoin to Lightning (facts/timelocks.md 4, 29): the client's HTLC ends so many blocks after the last HTLC of the
 * payment as that may take on the chain, and then our claim of the coin, and lives for a day of blocks at least, for
 * what is waited for before the payment starts, and for a route of `routeBlocks` beyond the final CLTV; at most for the
 * longest leg. Too short, and a payment settles after the client took its coin back: the whole payout is lost.
 */
export function coinPayoutLegs(ask: {
  clocks: ReadClocks;
  finalCltv: number;
  /** Of the client's coin before anything is paid for it. */
  confirmations: number;
  policy: TimeoutPolicy;
}): CoinPayoutLegs | Refusal {
  const { clocks, finalCltv, confirmations, policy } = ask;
  const wait = burialWait(confirmations);
  const window = fundingTimes(clocks, policy, wait);
  if (isRefusal(window)) return window;
  const waits = blocksUp(policy.fundingWindow + wait, policy) + confirmations;
  const beyond = waits + policy.routeBlocks + (policy.resolveBlocks ?? 0) + blocksUp(policy.margin, policy);
  const most = Math.floor(policy.longestLeg / blockInterval);
  if (finalCltv + beyond > most)
    return refuse(
      'invalid',
      `The invoice asks for a final CLTV delta of ${finalCltv} blocks; at most ${most - beyond} fit into the longest ` +
        `lock of ${policy.longestLeg} seconds. Ask the payee for an invoice with a smaller delta.`,
    );
  const blocks = Math.max(Math.ceil(policy.clientLeg / blockInterval), finalCltv + beyond);
  const refundHeight = height(tipOf(clocks) + blocks);
  return { ...window, refundHeight, maxTimeoutHeight: payHeight({ clocks, sure: htlcSpan(refundHeight), policy }) };
}

/**
 * Blocks for which a payment must be held from now on so that it outlives what we give for it: the fewest that
 * `outlives` allows, blocks coming fast and by chance (facts/timelocks.md 28). Null while the clock of what we give is
 * unread. Too few, and lnd lets the payment go while the client can still claim.
 */
export function holdBlocks(ask: { clocks: ReadClocks; given: TheirsToClaim; policy: TimeoutPolicy }): number | null {
  const { clocks, given, policy } = ask;
  if (given.clock === 'height') {
    const tip = latestOn('height', clocks);
    const beyond = blocksUp(policy.margin, policy) + stopBlocks(policy);
    return tip === null ? null : given.claimableUntil - tip + beyond;
  }
  const open = openFor(given, clocks, policy);
  return open === null ? null : fewestFor(open + policy.margin, policy) + stopBlocks(policy);
}

/** Blocks before a held payment's timeout at which the service must be done with it. */
function stopBlocks(policy: TimeoutPolicy): number {
  return policy.lndCancelBlocks + policy.reactionBlocks;
}

/** The height from which a held payment can no longer be counted on; a swap still open there needs a person. */
export function stopLine(expiryHeight: number, policy: TimeoutPolicy): number {
  return expiryHeight - stopBlocks(policy);
}

/** A payment that is held for us: lnd lets it go by itself some blocks before `expiryHeight`. */
export function holdSpan(expiryHeight: number, policy: TimeoutPolicy): OursToClaim {
  return { name: 'The held payment', clock: 'height', byChance: true, surelyOursUntil: stopLine(expiryHeight, policy) };
}
