import type { EvmNetwork } from './chain.ts';

declare const unix_: unique symbol;
declare const seconds_: unique symbol;

/** A moment: whole seconds since 1970-01-01T00:00:00Z. */
export type Unix = number & { readonly [unix_]: true };

/** A span of whole seconds. */
export type Seconds = number & { readonly [seconds_]: true };

declare const height_: unique symbol;

/** A block of the Bitcoin chain by its place in it: the first has 0. */
export type Height = number & { readonly [height_]: true };

/** The end of a lock on the Bitcoin chain, as scripts say it: below `firstTime` a height, from there on a moment. */
export type Locktime = Unix | Height;

/** BIP-65: locktimes below are heights. */
const firstTime = 500_000_000;

export function height(value: number): Height {
  if (!Number.isSafeInteger(value) || value < 0 || value >= firstTime)
    throw new RangeError(`not a height of the Bitcoin chain: ${value}`);
  return value as Height;
}

export function isHeight(locktime: Locktime): locktime is Height {
  return locktime < firstTime;
}

export function unix(value: number): Unix {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a unix time in whole seconds: ${value}`);
  return value as Unix;
}

export function seconds(value: number): Seconds {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a span in whole seconds: ${value}`);
  return value as Seconds;
}

export function after(moment: Unix, span: Seconds): Unix {
  return unix(moment + span);
}

/**
 * Whether a span of the wall is over that is only waited for. A wall that was set back must not make days of it: one
 * that stands as far before its beginning counts as past its end (facts/faults.md 109).
 */
export function hasPassed(span: number, since: number, wall: Unix): boolean {
  return Math.abs(wall - since) >= span;
}

/**
 * Whether a moment of the wall, set at most `longest` seconds ahead, is still to come. One that lies further ahead was
 * set before the wall was set back, and no minute becomes days by it (facts/faults.md 109).
 */
export function isAhead(moment: Unix, longest: number, wall: Unix): boolean {
  return wall < moment && moment <= wall + longest;
}

/**
 * Whether a look that began at `look` began after the news of `news`, both by the wall. No look takes an hour: one that
 * seems to have begun so long before was begun after the wall was set back, and keeps the news in doubt for no days
 * (facts/faults.md 122).
 */
export function lookedAfter(news: Unix, look: Unix): boolean {
  return !isAhead(after(news, seconds(1)), hour, look);
}

/** Seconds from `from` until `to`; zero once `to` is past. */
export function until(from: Unix, to: Unix): Seconds {
  return seconds(Math.max(0, to - from));
}

export const minute = seconds(60);
export const hour = seconds(3_600);
export const day = seconds(86_400);

/** 90061 s is 25 h; the largest unit that leaves at least two of it. */
export function spanInWords(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.round(seconds / 86_400)} days`;
  if (seconds >= 2 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  if (seconds >= 120) return `${Math.round(seconds / 60)} min`;
  return `${seconds} s`;
}

/** The chain's clock as somebody reads it: median time past and height of the tip, null where that is not known. */
export interface ChainReading {
  readonly mtp: Unix | null;
  readonly height: number | null;
}

/**
 * A chain as a clock, null until a first reading: an unread clock keeps every timelock closed.
 *
 * `ahead` is how far the chain has come at least by every reading of it, the Lightning node's among them; left out
 * where that is the reading itself. What takes back or finishes what is ours goes by it, or a source that stands still
 * keeps a refund shut until it is lost; what risks value goes by whichever of the two is worse for us (facts/faults.md
 * 45).
 */
export interface ChainClock extends ChainReading {
  readonly ahead?: ChainReading;
  /** Why nothing new may be begun on this reading of the chain; left out while its sources agree. */
  readonly doubt?: string;
}

/**
 * What every decision about a timelock is taken on. `wall` is the machine's clock (the sandbox's clock in sandbox
 * mode), and may be wrong by any amount; each chain has its own, by the name of its network, and no decision on one
 * goes by another's (facts/faults.md 60). The wall judges what others judge by theirs, the expiry of an invoice or of
 * an Arkade coin, and how long a person is waited for; timelocks are the chain's to judge.
 */
export interface Clocks {
  readonly wall: Unix;
  readonly bitcoin: ChainClock;
  /** By block time; left out while the chain was never read. */
  readonly [evm: EvmNetwork]: ChainClock;
}

/** A clock by its name in `Clocks`. */
export type ClockName = 'wall' | 'bitcoin' | EvmNetwork;

/**
 * For each of some conditions the clock by which an act that depends on it is late; the condition itself says which EVM
 * chain.
 */
export type TimedBy<Conditions> = {
  readonly [C in keyof Conditions]-?: (facts: NonNullable<Conditions[C]>) => ClockName;
};

/** A chain that was read. */
export interface ReadChain extends ChainClock {
  readonly mtp: Unix;
  readonly height: number;
}

/** Seconds between blocks, on average. */
export const blockInterval = 600;

/**
 * When a lock is expected to end, by median time past, for people and for what is only hurried: a height as if every
 * block until then took ten minutes. Nothing that risks value goes by it. Null while the chain is unread.
 */
export function expectedAt(locktime: Locktime, { bitcoin }: Pick<Clocks, 'bitcoin'>): Unix | null {
  if (!isHeight(locktime)) return locktime;
  const { mtp, height: tip } = furthest(bitcoin);
  return mtp === null || tip === null ? null : unix(Math.max(0, mtp + (locktime - tip) * blockInterval));
}

/** Clocks with a reading of Bitcoin. */
export interface ReadClocks extends Clocks {
  readonly bitcoin: ReadChain;
}

export function isRead(clocks: Clocks): clocks is ReadClocks {
  return clocks.bitcoin.mtp !== null && clocks.bitcoin.height !== null;
}

/** How far the chain has come at least. */
export function furthest({ mtp, height, ahead }: ChainClock): ChainReading {
  return ahead ?? { mtp, height };
}

/**
 * The one of wall and Bitcoin that is ahead. A leg that the client funds counts from it, so that neither clock can make
 * it too short.
 */
export function laterOf({ wall, bitcoin }: Clocks): Unix {
  return unix(Math.max(wall, furthest(bitcoin).mtp ?? 0));
}

/** The one of wall and all chains that is ahead: what any of them may call due by now. */
export function latestOf(clocks: Clocks): Unix {
  const chains = Object.entries(clocks).flatMap(([name, clock]: [string, unknown]) =>
    name.startsWith('evm:') ? [furthest(clock as ChainClock).mtp ?? 0] : [],
  );
  return unix(Math.max(laterOf(clocks), ...chains));
}

/**
 * The one of wall and Bitcoin that is behind. A leg that the service funds counts from it, so that neither clock can
 * make it too long.
 */
export function earlierOf({ wall, bitcoin }: ReadClocks): Unix {
  return unix(Math.min(wall, bitcoin.mtp));
}
