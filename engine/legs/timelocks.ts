import { type Refusal, refuse } from '../domain/errors.ts';
import {
  type Clocks,
  after,
  type ChainClock,
  earlierOf,
  furthest,
  minute,
  type ReadChain,
  type ReadClocks,
  type Seconds,
  seconds,
  type Unix,
  unix,
} from '../domain/time.ts';
import type { TimeoutPolicy } from './timeout-policy.ts';

/*
 * Every timeout of the product is computed here, and where we lock on an EVM chain in `evm/timelocks.ts`. Three clocks
 * meet: wall time, median time past (which judges Arkade's and Bitcoin's locktimes and trails true time by up to
 * `mtpLag`), and block height (which judges Lightning's). A wall clock may be wrong by hours and nobody tells us, so
 * both legs of a swap are compared on the chain's clock alone (DECISIONS.md, "One clock for both legs"; facts/faults.md
 * 45): a refund of ours may open as late as median time past says, a client's as early as `latestByChain`. A span is
 * turned into blocks at two different speeds, whichever is worse for the node at that place: see `slowBlock`,
 * `fastBlock`.
 */

/** The latest that it can be by the chain's clock: what is left until a locktime is surely left from here on. */
export function latestByChain({ mtp, ahead }: Pick<ReadChain, 'mtp' | 'ahead'>, policy: TimeoutPolicy): Unix {
  return after(unix(Math.max(mtp, ahead?.mtp ?? 0)), policy.mtpLag);
}

/** True once a time locktime lets a transaction into a block: BIP-113 wants median time past above it, not at it. */
export function locktimePassed(locktime: Unix, { mtp }: Pick<ChainClock, 'mtp'>): boolean {
  return mtp !== null && mtp >= refundOpens(locktime);
}

/**
 * The first moment of the chain's clock at which a locktime is past (BIP-113). Later than that, a refund waits for
 * nothing.
 */
export function refundOpens(locktime: Unix): Unix {
  return after(locktime, seconds(1));
}

/** Seconds that a claim must have before the other party's refund opens, from the moment its preimage leaves. */
export function revealMargin(policy: TimeoutPolicy): number {
  return Math.floor(Math.min(policy.margin, policy.leastClaimTime) / 2);
}

/**
 * The last moment of the chain's clock, unix seconds, at which a preimage may leave for a claim of what the other party
 * takes back at `refundLocktime`, the clock trailing as far as it may. Later, the claim may lose the race and both legs
 * are the other party's.
 */
export function revealUntil(refundLocktime: Unix, policy: TimeoutPolicy): Unix {
  return unix(Math.max(0, refundLocktime - revealMargin(policy) - policy.mtpLag));
}

/**
 * The last moment of the chain's clock, unix seconds, by which a Lightning payment against a leg that its client takes
 * back at `refundLocktime` must be over, margin included. A payment that settles later is settled for nothing.
 */
export function payoutOver(refundLocktime: Unix, policy: TimeoutPolicy): Unix {
  return unix(Math.max(0, refundLocktime - policy.margin - policy.mtpLag));
}

/** Blocks that may come within a span when blocks come fast, rounded up. */
function blocksWithinUp(span: number, policy: TimeoutPolicy): number {
  return Math.ceil(span / policy.fastBlock);
}

/** Blocks that surely come within a span even when blocks come slowly, rounded down; never negative. */
function blocksWithinDown(span: number, policy: TimeoutPolicy): number {
  return Math.max(0, Math.floor(span / policy.slowBlock));
}

/**
 * The chain by whose clock the client's refund opens, where that is an EVM chain: its block time may stand still as
 * long as Bitcoin's trails.
 */
type LockedOn = Pick<ReadChain, 'mtp' | 'ahead'>;

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
 * The client's leg of a Lightning payout (facts/timelocks.md 4): max(24 h, (final CLTV + 144) x 12.5 min + 2 h), at
 * most 7 days, from the clock that is ahead. Too short, and a payment settles after the client took its refund: the
 * whole payout is lost. Where the chain's clock lags, some of the 144 blocks are not given to the route (`payHeight`).
 * `evm`: the chain that the client locks on, where that is not Arkade.
 */
export function payoutLeg(ask: {
  clocks: ReadClocks;
  evm?: LockedOn;
  finalCltv: number;
  policy: TimeoutPolicy;
}): PayoutLeg | Refusal {
  const { clocks, evm, finalCltv, policy } = ask;
  const leg = Math.max(policy.clientLeg, (finalCltv + policy.routeBlocks) * policy.slowBlock + policy.margin);
  if (leg > policy.longestLeg) {
    const most = Math.floor((policy.longestLeg - policy.margin) / policy.slowBlock) - policy.routeBlocks;
    return refuse(
      'invalid',
      `The invoice asks for a final CLTV delta of ${finalCltv} blocks; at most ${most} fit into the longest lock ` +
        `of ${policy.longestLeg} seconds. Ask the payee for an invoice with a smaller delta.`,
    );
  }
  const chain: ChainClock = { height: null, ...(evm ?? clocks.bitcoin) };
  const refundLocktime = after(unix(Math.max(clocks.wall, furthest(chain).mtp ?? 0)), seconds(leg));
  return {
    refundLocktime,
    maxTimeoutHeight: payHeight({ clocks, ...(evm === undefined ? {} : { evm }), refundLocktime, policy }),
    payBefore: after(evm?.mtp ?? clocks.wall, seconds(policy.fundingWindow + Math.floor(policy.margin / 2))),
  };
}

/**
 * The highest timeout that a payment started now may have and still be over, margin included, before the client's
 * refund opens, with every block coming slowly and no more time left than surely is by the chain's clock. Computed
 * again at every start and never above the height pinned at creation: blocks may have come faster or slower.
 */
export function payHeight(ask: {
  clocks: ReadClocks;
  evm?: LockedOn;
  refundLocktime: Unix;
  policy: TimeoutPolicy;
}): number {
  const { clocks, evm = clocks.bitcoin, refundLocktime, policy } = ask;
  const left = payoutOver(refundLocktime, policy) - Math.max(evm.mtp, evm.ahead?.mtp ?? 0);
  return clocks.bitcoin.height + blocksWithinDown(left, policy);
}

/**
 * Until when, in unix seconds, a coin must live that is given to a VHTLC of ours: past its expiry timelocks protect
 * nobody. Our refund may open as late as median time past lags, and is to be final before.
 */
export function coinsUntil(refundLocktime: Unix, { mtpLag, margin }: TimeoutPolicy): Unix {
  return unix(refundLocktime + mtpLag + margin);
}

/** How long from now on coins must live that a VHTLC of ours made now may take; `wait`: by which its leg is longer. */
export function coinLife(policy: TimeoutPolicy, wait = seconds(0)): Seconds {
  return seconds(coinsUntil(unix(policy.serverLeg + wait), policy));
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
  if (lockBefore < clocks.bitcoin.mtp + policy.fundingWindow)
    return refuse(
      'unavailable',
      'The clocks of this node and of Bitcoin are too far apart for a swap in this direction: try again later.',
    );
  const minHoldBlocks = holdBlocks({ clocks, vhtlcRefundLocktime, policy });
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

/**
 * Blocks for which a payment must still be held now so that the VHTLC's refund is over before lnd lets it go: median
 * time past has all the way to the locktime before it, may trail further by then, and blocks may come fast meanwhile.
 */
export function holdBlocks(ask: { clocks: ReadClocks; vhtlcRefundLocktime: Unix; policy: TimeoutPolicy }): number {
  const { clocks, vhtlcRefundLocktime, policy } = ask;
  const span = Math.max(0, vhtlcRefundLocktime - clocks.bitcoin.mtp) + policy.mtpLag + policy.margin;
  return blocksWithinUp(span, policy) + stopBlocks(policy);
}

/** Blocks before a held payment's timeout at which the service must be done with it. */
function stopBlocks(policy: TimeoutPolicy): number {
  return policy.lndCancelBlocks + policy.reactionBlocks;
}

/** The height from which a held payment can no longer be counted on; a swap still open there needs a person. */
export function stopLine(expiryHeight: number, policy: TimeoutPolicy): number {
  return expiryHeight - stopBlocks(policy);
}

/** BIP-68 counts time in units of 512 seconds. */
const sequenceUnit = seconds(512);

/** The smallest multiple of 512 seconds that is not below the span. */
export function ceil512(span: number): Seconds {
  return seconds(Math.ceil(span / sequenceUnit) * sequenceUnit);
}

/** The three BIP-68 delays of a VHTLC, each a multiple of 512 seconds. */
export interface VhtlcDelays {
  readonly claimDelay: Seconds;
  readonly refundDelay: Seconds;
  readonly refundWithoutReceiverDelay: Seconds;
}

/**
 * The ladder (facts/timelocks.md 8) from the operator's exit delay d: d, 2d, max(3d, ceil512(funding window + leg +
 * margin)). A shorter last step would let the sender leave by leaf 6 before the locktime (facts/arkade.md 47): so `leg`
 * counts from the clock that is behind, whatever the locktime was counted from.
 */
export function vhtlcDelays(ask: { exitDelay: Seconds; leg: Seconds; policy: TimeoutPolicy }): VhtlcDelays {
  const d = ceil512(ask.exitDelay);
  return {
    claimDelay: d,
    refundDelay: seconds(2 * d),
    refundWithoutReceiverDelay: ceil512(Math.max(3 * d, ask.policy.fundingWindow + ask.leg + ask.policy.margin)),
  };
}

/** An invoice must live this long past the moment at which its payment starts. */
export const invoiceSpare = minute;

/**
 * The last moment of the wall clock at which the payment of an invoice may start: later it may be refused for its age.
 */
export function invoicePayableUntil(expiresAt: Unix): Unix {
  return unix(expiresAt - invoiceSpare);
}

/**
 * Blocks after the last HTLC's timeout until a payment that the Lightning node forgot counts as failed: a timeout needs
 * to be mined and buried. Fewer, and a payment that settled late is refunded as well (facts/faults.md 23).
 */
export const blocksAfterTimeout = 144;

/** No HTLC of the payment can be left, nor any block that resolves one be missing. */
export function paymentTimedOut(
  { maxTimeoutHeight }: { readonly maxTimeoutHeight: number },
  { bitcoin: { height } }: Clocks,
): boolean {
  return height !== null && height > maxTimeoutHeight + blocksAfterTimeout;
}
