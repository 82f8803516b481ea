import {
  type Clocks,
  after,
  type ChainReading,
  furthest,
  type Height,
  height,
  isHeight,
  type Locktime,
  minute,
  type ReadChain,
  type Seconds,
  seconds,
  type Unix,
  unix,
} from '../domain/time.ts';
import type { TimeoutPolicy } from './timeout-policy.ts';

/*
 * Every timeout of the product is computed by these rules, those of one network in its own folder. Three clocks meet:
 * wall time, median time past (which judges Arkade's and Bitcoin's locktimes and trails true time by up to
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

/**
 * True once a locktime lets a transaction into the next block: a height once the tip is at it, for a block is one
 * higher than the tip that it is built on (BIP-65); a time once median time past is above it, not at it (BIP-113).
 */
export function locktimePassed(locktime: Unix, chain: Pick<ChainReading, 'mtp'>): boolean;
export function locktimePassed(locktime: Locktime, chain: ChainReading): boolean;
export function locktimePassed(locktime: Locktime, { mtp, height: tip = null }: Partial<ChainReading>): boolean {
  if (isHeight(locktime)) return tip !== null && tip >= locktime;
  return mtp !== null && mtp !== undefined && mtp >= refundOpens(locktime);
}

/**
 * The first moment of the chain's clock, or height of its tip, at which a locktime is past. Later than that, a refund
 * waits for nothing.
 */
export function refundOpens(locktime: Unix): Unix;
export function refundOpens(locktime: Locktime): Locktime;
export function refundOpens(locktime: Locktime): Locktime {
  return isHeight(locktime) ? locktime : after(locktime, seconds(1));
}

/** Whether the chain has come to a height, or its clock to a moment, by any reading of it. */
export function hasCome(moment: Locktime, { bitcoin }: Pick<Clocks, 'bitcoin'>): boolean {
  const { mtp, height: tip } = furthest(bitcoin);
  const reading = isHeight(moment) ? tip : mtp;
  return reading !== null && reading >= moment;
}

/**
 * The last moment of its own clock at which `left` seconds remain until what ends at `end` may be lost, the clock
 * trailing as far as it may; of what ends at a height, the last height, with every block fast. Later by that clock, and
 * what takes so long comes too late.
 */
export function surelyUntil(end: Unix, left: number, policy: Pick<TimeoutPolicy, 'mtpLag' | 'fastBlock'>): Unix;
export function surelyUntil(end: Locktime, left: number, policy: Pick<TimeoutPolicy, 'mtpLag' | 'fastBlock'>): Locktime;
export function surelyUntil(
  end: Locktime,
  left: number,
  { mtpLag, fastBlock }: Pick<TimeoutPolicy, 'mtpLag' | 'fastBlock'>,
): Locktime {
  return isHeight(end)
    ? height(Math.max(0, end - blocksUp(left, { fastBlock })))
    : unix(Math.max(0, end - mtpLag - left));
}

/** Blocks that may come within a span when blocks come fast, rounded up. */
export function blocksUp(span: number, { fastBlock }: Pick<TimeoutPolicy, 'fastBlock'>): number {
  return Math.ceil(span / fastBlock);
}

/** A height so many blocks later as may come within a span when blocks come fast. */
export function blocksAfter(from: Height, span: number, policy: Pick<TimeoutPolicy, 'fastBlock'>): Height {
  return height(from + blocksUp(span, policy));
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
  return surelyUntil(refundLocktime, revealMargin(policy), policy);
}

/**
 * Until when, by median time past or as a height, a leg that its funder takes back at `refundLocktime` is surely to be
 * claimed, margin included: a claim that is begun later may be mined after the refund has opened, and a Lightning
 * payment that settles later settles for nothing.
 */
export function claimUntil(refundLocktime: Unix, policy: TimeoutPolicy): Unix;
export function claimUntil(refundLocktime: Locktime, policy: TimeoutPolicy): Locktime;
export function claimUntil(refundLocktime: Locktime, policy: TimeoutPolicy): Locktime {
  return surelyUntil(refundLocktime, policy.margin, policy);
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
