import type { EvmNetwork } from '../domain/chain.ts';
import {
  type ChainClock,
  type Clocks,
  isHeight,
  type Locktime,
  type Seconds,
  seconds,
  type Unix,
  unix,
} from '../domain/time.ts';
import { longestFor, shortestFor } from './block-times.ts';
import { latestByChain } from './timelocks.ts';
import type { TimeoutPolicy } from './timeout-policy.ts';

/*
 * A leg of a swap as a span of time, whatever its network: until when it is surely its claimer's, and until when it can
 * still be claimed. Two of them are compared by `safety/outlives.ts`, and by nothing else (DECISIONS.md, "Two timelocks
 * are one question"; facts/timelocks.md 1). Moments lie on different clocks, so that they become seconds from now
 * first, each at the end that is worse for us:
 *
 * - Median time past and the block time of an EVM chain alike may trail true time by `mtpLag`, now or later
 *   (facts/timelocks.md 12, 25, 26): what we claim ends that much sooner, what we gave that much later.
 * - The height of a payment that is held for us, and of an HTLC on the chain, becomes seconds by `block-times.ts`: as
 *   soon, or late, as blocks bring it by chance (facts/timelocks.md 28). That of a payment of ours becomes seconds at
 *   `slowBlock` each (facts/timelocks.md 4, 17). Two heights are compared as heights.
 */

/**
 * By what the end of a leg is judged: `bitcoin` is median time past (locktimes of Bitcoin and Arkade), an EVM network
 * its block time, `height` the height of Bitcoin's tip (HTLCs over Lightning, and those on the chain that end at one).
 */
export type SpanClock = TimeClock | 'height';
type TimeClock = 'bitcoin' | EvmNetwork;

/** `byChance`: it ends at a height, which the coming of blocks brings nearer by chance. */
interface Counted {
  readonly byChance?: true;
}

/** A leg that the other side locked or pays, and we claim. */
export interface OursToClaim extends Counted {
  /** Begins the sentence for the owner. */
  readonly name: string;
  readonly clock: SpanClock;
  /**
   * Unix seconds, or a height where that is the clock: from then on, by that clock, the other side may have it back.
   * Too late, and what we gave for it is lost.
   */
  readonly surelyOursUntil: number;
}

/** A leg that we lock or pay, and the other side claims. */
export interface TheirsToClaim extends Counted {
  readonly clock: SpanClock;
  /**
   * Unix seconds, or a height where that is the clock: from then on, by that clock, it can be ours again. A claim may
   * still come first until our refund is final, which takes up to `margin`. Too early, and it is claimed after the
   * other side has its own again.
   */
  readonly claimableUntil: number;
}

/** A leg that ends at one moment, whichever side we are on. */
type Leg = OursToClaim & TheirsToClaim & { readonly clock: TimeClock };
type ChainLeg = OursToClaim & TheirsToClaim & { readonly clock: 'bitcoin' | 'height' };

/** Of Arkade: its refund by locktime alone, unix seconds. */
export function vhtlcSpan(refundLocktime: Unix): Leg {
  return { name: 'The VHTLC', clock: 'bitcoin', surelyOursUntil: refundLocktime, claimableUntil: refundLocktime };
}

/** An HTLC on the Bitcoin chain: its locktime, unix seconds or a height. */
export function htlcSpan(refundLocktime: Locktime): ChainLeg {
  const ends = { name: 'The coin', surelyOursUntil: refundLocktime, claimableUntil: refundLocktime };
  return isHeight(refundLocktime) ? { ...ends, clock: 'height', byChance: true } : { ...ends, clock: 'bitcoin' };
}

/**
 * A lock on an EVM chain: its timelock, unix seconds. Its contract asks no time of a claim, so that one counts until
 * the refund took it (facts/timelocks.md 25).
 */
export function lockSpan(network: EvmNetwork, timelock: Unix): Leg {
  return { name: 'The lock', clock: network, surelyOursUntil: timelock, claimableUntil: timelock };
}

/**
 * A payment of ours over Lightning, no HTLC of which times out above this height. One that has timed out is the payee's
 * by its secret until its timeout is mined, which a peer can put off (facts/faults.md 275).
 */
export function paymentSpan(
  height: number,
  { resolveBlocks = 0 }: Pick<TimeoutPolicy, 'resolveBlocks'>,
): TheirsToClaim {
  return { clock: 'height', claimableUntil: height + resolveBlocks };
}

/**
 * Seconds for which a leg is ours to claim at the least; not above 0 once it may be lost, null while its clock is
 * unread.
 */
export function sureFor(
  { clock, surelyOursUntil, byChance }: OursToClaim,
  clocks: Clocks,
  policy: TimeoutPolicy,
): number | null {
  const latest = latestOn(clock, clocks);
  if (latest === null) return null;
  if (clock !== 'height') return surelyOursUntil - latestByChain({ mtp: unix(latest) }, policy);
  const blocks = surelyOursUntil - latest;
  return byChance === true ? shortestFor(blocks, policy) : blocks * policy.fastBlock;
}

/**
 * Seconds from now after which a leg of ours can be claimed no more, at the most, but for what `margin` holds: our
 * refund on its way. Null while its clock is unread.
 */
export function openFor(
  { clock, claimableUntil, byChance }: TheirsToClaim,
  clocks: Clocks,
  policy: TimeoutPolicy,
): number | null {
  const least = readingsOn(clock, clocks)[0] ?? null;
  if (least === null) return null;
  const left = Math.max(0, claimableUntil - least);
  if (clock !== 'height') return left + policy.mtpLag;
  return byChance === true ? longestFor(left, policy) : left * policy.slowBlock;
}

/** Whether a leg that we gave can be ours again by now, by the reading that everything goes by. */
export function isOpen({ clock, claimableUntil }: TheirsToClaim, clocks: Clocks): boolean {
  const reading = readingsOn(clock, clocks)[0] ?? null;
  return reading !== null && reading > claimableUntil;
}

/**
 * Seconds that whoever claims a leg surely has before its refund may open, by the clock that judges both. Median time
 * past may be behind true time by its lag, by which the claim is made; of an EVM chain the block that takes the claim
 * has the time that counts; of a height each block that may take it, as if it came fast. Null while that clock is
 * unread.
 */
export function claimTime(
  { clock, claimableUntil }: TheirsToClaim,
  clocks: Clocks,
  policy: TimeoutPolicy,
): number | null {
  const latest = latestOn(clock, clocks);
  if (latest === null) return null;
  if (clock === 'height') return (claimableUntil - latest) * policy.fastBlock;
  return claimableUntil - (clock === 'bitcoin' ? latestByChain({ mtp: unix(latest) }, policy) : latest);
}

/**
 * Seconds that a leg of the client's lives from the create on, where ours lives for `serverLeg`: the policy's, and
 * never so short that it would not outlive ours once that may be given (facts/timelocks.md 1, 3, 25, 26). On one clock
 * it stays surely ours until ours ends, however far that clock trails. On two, either may trail by its lag when its leg
 * ends, median time past as it is read when ours begins too, and the client may take all of its funding window.
 * Shorter, and nothing is ever given for what the client funds.
 */
export function clientLegFor(
  clocks: { readonly sure: TimeClock; readonly given: TimeClock },
  policy: TimeoutPolicy,
): Seconds {
  const { clientLeg, serverLeg, mtpLag, margin, fundingWindow } = policy;
  const lags = clocks.given === 'bitcoin' ? 3 : 2;
  const beyond = clocks.sure === clocks.given ? mtpLag : lags * mtpLag + fundingWindow;
  return seconds(Math.max(clientLeg, serverLeg + beyond + margin));
}

/** How far a clock has come by any reading of it, in seconds or blocks; null while there is none. */
export function latestOn(clock: SpanClock, clocks: Clocks): number | null {
  const readings = readingsOn(clock, clocks).filter((reading) => reading !== null);
  return readings.length === 0 ? null : Math.max(...readings);
}

/** The reading that everything goes by, and what other sources know further on. */
function readingsOn(clock: SpanClock, clocks: Clocks): (number | null)[] {
  const {
    mtp = null,
    height = null,
    ahead,
  }: Partial<ChainClock> = clocks[clock === 'height' ? 'bitcoin' : clock] ?? {};
  return clock === 'height' ? [height, ahead?.height ?? null] : [mtp, ahead?.mtp ?? null];
}
