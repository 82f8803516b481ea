import type { BlockRate } from '../../../legs/onchain/port.ts';
import { highestRate } from '../../../quote/ceilings.ts';
import { worthRaising } from './fee-urgency.ts';
import { slowBlock } from './transactions.ts';

/** Blocks that are looked back upon: nights, working hours and what a spike left behind are in a day of them. */
export const dayOfBlocks = 144;
/** Of fewer nobody can say what the next ones ask. */
const fewest = 24;
/** Chance that none of the blocks which are left asks as little, were they like those of the last day. */
const missed = 0.001;
/** Blocks before the deadline that nothing is expected of. */
const reserve = 8;
/** Sats per virtual byte. */
const relayFloor = 1;

/**
 * The rate at which a transaction with `left` seconds until its deadline is nearly sure to be mined in time and hardly
 * dearer than it must be, in sats per virtual byte, by what the last day's blocks asked: null where too few of them
 * were read. A bid may wait in the mempool for the block that takes it, so with many blocks left it is one of the day's
 * lowest rates, and grows to the day's highest with the last ones. It never falls as time runs out, nor when any block
 * asked more. Too low, the claim is raised in its last two hours at every block (`fee-urgency.ts`); too high, what it
 * may cost is bounded by its budget.
 */
export function patientRate(blocks: readonly BlockRate[], left: number): number | null {
  const day = ratesOfDay(blocks);
  if (day === null) return null;
  const draws = Math.max(1, left / slowBlock - reserve);
  const share = 1 - missed ** (1 / draws);
  const rate = day[Math.min(day.length, Math.ceil(share * day.length)) - 1] ?? highestRate;
  return Math.min(highestRate, Math.max(relayFloor, rate));
}

/** What the last day's blocks asked, from the lowest rate to the highest; null where too few of them were read. */
export function ratesOfDay(blocks: readonly BlockRate[]): readonly number[] | null {
  const day = blocks
    .slice(-dayOfBlocks)
    .map(({ rate }) => rate)
    .sort((a, b) => a - b);
  return day.length < fewest ? null : day;
}

/** A transaction as it waits: what it pays, and the height from which on it does. */
export interface Waiting {
  readonly rate: number;
  readonly since: number;
}

/** So many blocks that took others for less are no chance. */
const contradictions = 3;

/** Whether blocks that are said to have asked less left it out: then what is said of them is not believed. */
export function leftOut(blocks: readonly BlockRate[], { rate, since }: Waiting): boolean {
  return blocks.filter((block) => block.height > since && block.rate * worthRaising < rate).length >= contradictions;
}
