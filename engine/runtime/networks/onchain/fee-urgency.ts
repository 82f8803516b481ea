import type { Unix } from '../../../domain/time.ts';
import type { BroadcastAnswer } from '../../../legs/onchain/port.ts';
import { highestRate } from '../../../quote/ceilings.ts';
import { slowBlock } from './transactions.ts';

/** How a transaction is hurried. */
export interface FeeUrgency {
  /** Blocks within which it is to be mined: what its fee is asked for. */
  readonly within: number;
  /** It pays more once it waited in the mempool for this many blocks, and this many seconds. */
  readonly patience: { readonly blocks: number; readonly seconds: number };
  /** Too little time is left to wait out a source that asks too little: of two estimates the higher one counts. */
  readonly late: boolean;
  /**
   * Sats per virtual byte that are paid where what a source says is no rate to believe; left out where there is no time
   * to find out.
   */
  readonly unestimated?: number;
}

/** Without a deadline, or far from it. */
export const noUrgency: FeeUrgency = { within: 3, patience: { blocks: 6, seconds: 3_600 }, late: false };

const hour = 3_600;
/** Below this much time nothing is tried out any more: what must be mined pays what that costs now. */
const nearFor = 6 * hour;
/** Seconds that are left to the deadline, and how it is hurried from there on, the last one first. */
const stages: readonly (readonly [number, FeeUrgency])[] = [
  [2 * hour, { within: 1, patience: { blocks: 1, seconds: 600 }, late: true }],
  [nearFor, { within: 2, patience: { blocks: 3, seconds: 1_800 }, late: false }],
];
/**
 * Of the blocks that come surely until the deadline, the part within which it is to be mined: nearly always in time
 * even if nobody came back to it, for what three blocks cost is twice what is asked by one who has a day (`npm run
 * bench -- --only fees`).
 */
const ofTimeLeft = 1 / 3;
/** Blocks: what estimates say of more is days old. */
const longestTarget = 48;
/** Of its target, what it waits before it is raised: an estimate that holds is seldom wrong for so long. */
const timesTarget = 2;
/** Seconds that a fee without an estimate has for its way from the relay floor to the highest rate. */
const climbFor = 18 * hour;

/** By median time past, as far as the chain has come by any reading of it. */
export function urgencyOf(deadline: Unix | undefined, now: number): FeeUrgency {
  if (deadline === undefined) return noUrgency;
  const left = deadline - now;
  const stage = stages.find(([below]) => left <= below);
  if (stage !== undefined) return stage[1];
  const within = Math.min(longestTarget, Math.floor((left / slowBlock) * ofTimeLeft));
  const blocks = Math.ceil(within * timesTarget);
  const climbed = Math.max(0, 1 - (left - nearFor) / climbFor);
  return { within, patience: { blocks, seconds: blocks * 300 }, late: false, unestimated: highestRate ** climbed };
}

/** Without a deadline, and as soon as its owner wants it: it waits for as long as that before it is raised. */
export function urgencyWithin(blocks: number): FeeUrgency {
  return { within: blocks, patience: { blocks, seconds: blocks * 600 }, late: false };
}

/** From this many times its rate on, a higher one is worth a new transaction. */
export const worthRaising = 1.25;

/**
 * Sats per virtual byte that any node takes: Core's guard against a slip of the fee, which is 10,000, less what sizes
 * are rounded by. A node of the owner's is asked to take more, one behind an Esplora server cannot be.
 */
const highestRelayed = 9_900;

/** An owner who asks for a higher fee gets at least this much of one. */
const ownersRaise = 1.5;

/** What a replacement pays at least: a quarter more, and the relay fee of one sat that BIP 125 wants on top. */
function raised(rate: number): number {
  return Math.max(rate * worthRaising, rate + 1);
}

/**
 * An estimate by which nothing is mined is too low by more than a step: from one sat to what a spike asks there must be
 * blocks enough.
 */
const timesWaiting = 1.5;
const timesLate = 2;

/** A fee rate, in sats per virtual byte, and why it is a better one. */
export interface BetterRate {
  readonly rate: number;
  readonly reason: string;
}

/** How a transaction stands when its fee is looked at. */
export interface FeeReview {
  readonly sent: BroadcastAnswer;
  /** It was in the mempool for longer than it is waited for. */
  readonly waits: boolean;
  readonly late: boolean;
  /** Its owner wants it to pay more. */
  readonly ownerAsks: boolean;
  /** A capped one may cost more by now. */
  readonly mayRaise: boolean;
  /** Another spend of its coin that waits in its place, and what that pays; a null rate where it cannot be told. */
  readonly rival: { readonly rate: number | null } | null;
}

/** The fee rate that it should have instead; null when it is right as it is. */
export function betterRate(
  { rate, capped }: { readonly rate: number; readonly capped: boolean },
  wanted: number,
  { sent, waits, ownerAsks, late, mayRaise, rival }: FeeReview,
): BetterRate | null {
  // Nobody has it yet, so that nothing needs to be replaced: fees may have fallen while it waited for its delay.
  const cheap = sent.is === 'later' && sent.cheap === true;
  if (isDear(sent, rate))
    // Where another one stays in its place, less does not help.
    return rival === null ? { rate: highestRelayed, reason: 'no source takes a higher fee' } : null;
  if (sent.is === 'later' && !cheap && wanted < rate / 2) return { rate: 0, reason: 'fees fell before it was sent' };
  if (capped && !mayRaise) return null;
  if (ownerAsks) return { rate: Math.max(wanted, rate * ownersRaise, raised(rate)), reason: 'the owner asked for it' };
  if (wanted >= rate * worthRaising) return { rate: Math.max(wanted, raised(rate)), reason: 'the chain asks for more' };
  if (waits)
    return { rate: Math.max(raised(rate), rate * (late ? timesLate : timesWaiting)), reason: 'it waits for too long' };
  // Both are the word of whoever was handed it, at each try again: it raises no fee beyond what any estimate may.
  if (rate >= highestRate && !late) return null;
  if (cheap) return { rate: Math.min(highestRate, raised(rate)), reason: 'no mempool takes it at its fee' };
  if (sent.is !== 'spent') return null;
  const above = Math.max(raised(rate), raised(rival?.rate ?? 0));
  // What every source takes comes before what one alone may take.
  const most = !late ? highestRate : Math.max(rate, rival?.rate ?? 0) < highestRelayed ? highestRelayed : Infinity;
  return { rate: Math.min(most, above), reason: 'another one is in its place' };
}

/** It pays more than nodes take from anybody: who says so of less has no say in what a claim pays. */
export function isDear(sent: BroadcastAnswer, rate: number): boolean {
  return sent.is === 'later' && sent.dear === true && rate > highestRelayed;
}
