import type { OwnerSwaps } from '../../../engine/contract/owner/swaps.ts';
import type { Tone } from '../../parts/status.tsx';
import { boardWords } from '../../words/board-words.ts';
import { wireDirectionWords } from '../../words/direction-words.ts';

/** A swap of a client, or a job of the node's own wallets, as the owner's list has it. */
export type SwapLine = OwnerSwaps['swaps'][number];

const hour = 3_600;

/** Swaps by their direction, jobs by their own name. */
const names: Readonly<Record<NonNullable<SwapLine['direction']>, string>> = {
  ...wireDirectionWords,
  ...boardWords.jobs,
};

export function directionText({ direction }: Pick<SwapLine, 'direction'>): string {
  return direction === null ? boardWords.unreadable : names[direction];
}

export type TimeLeft = keyof typeof boardWords.standings;

/** How it stands, `age` seconds after it was read. */
export function standingOf({ flagged, slack_seconds }: SwapLine, age = 0): TimeLeft {
  if (flagged) return 'hand';
  if (slack_seconds === null) return 'noClock';
  const left = slack_seconds - age;
  if (left < 0) return 'late';
  return left < hour ? 'soon' : 'inTime';
}

export const standingTones = {
  hand: 'danger',
  late: 'danger',
  soon: 'need',
  inTime: 'wait',
  noClock: 'wait',
} as const satisfies Record<TimeLeft, Tone>;

/** The node has locked its side, or must take the client's: what of it goes wrong costs the node. */
const atRisk: ReadonlySet<SwapLine['status']> = new Set([
  'clientfunded',
  'serverfunded',
  'clientredeeming',
  'clientredeemed',
]);

export function isAtRisk({ status }: SwapLine): boolean {
  return atRisk.has(status);
}

/** When the last of what is at risk is over; null where one of them has no date, undefined where nothing is. */
export function riskUntil(lines: readonly SwapLine[]): number | null | undefined {
  const dates = lines.filter(isAtRisk).map(({ deadline }) => deadline);
  if (dates.length === 0) return undefined;
  return dates.includes(null) ? null : Math.max(...dates.map(Number));
}
