import { chanceFrom } from '../../crash/support/chance.ts';

/** A block of a trace. Rates in sats per virtual byte, moments in seconds. */
export interface TraceBlock {
  readonly time: number;
  /** What pays at least this, its unconfirmed parents counted, is in the block. */
  readonly rate: number;
  /** What the mempool asks for until the next block. */
  readonly minimum: number;
}

/** What a source says instead of the honest estimate. */
type Word = (honest: number, random: () => number) => number;

export interface FeeTrace {
  readonly name: string;
  readonly blocks: readonly TraceBlock[];
  /** The moment at which all deadlines lie; null where they are spread. */
  readonly deadlineAt: number | null;
  readonly first: Word;
  /** The second source, where there is one. */
  readonly second: Word | null;
}

interface Kind {
  readonly name: string;
  /** What a block of ten minutes asks, by the hours since the start. */
  readonly level: (hour: number) => number;
  /** How far single blocks stray from it, as a share. */
  readonly noise?: number;
  readonly minimum?: (hour: number) => number;
  readonly deadlineHour?: number;
  readonly first?: Word;
  readonly second?: Word;
}

/** Hours before the first claim: what estimates are made from. */
export const warmUp = 60;
const claims = 108;
/** Hours after the last claim begins, so that every deadline is inside. */
const tail = 40;
const calm = 4;
const honest: Word = (rate) => rate;

/** Fifty times as dear within half an hour, halved every six hours. */
const spike = (hour: number, at: number): number =>
  hour < at ? 0 : calm * 49 * Math.min(1, (hour - at) * 2) * 0.5 ** (Math.max(0, hour - at - 1) / 6);

const kinds: readonly Kind[] = [
  { name: 'calm', level: () => calm },
  { name: 'rising slowly', level: (hour) => 2 * 40 ** (hour / (warmUp + claims + tail)) },
  { name: 'spike', level: (hour) => calm + spike(hour, warmUp + 30) + spike(hour, warmUp + 80) },
  { name: 'spike at the deadline', level: (hour) => calm + spike(hour, warmUp + 22), deadlineHour: warmUp + 24 },
  { name: 'noisy', level: () => 12, noise: 0.8 },
  { name: 'weekend', level: (hour) => 12 * (1 + 0.4 * Math.sin((hour / 12) * Math.PI)) * (hour % 168 > 120 ? 0.3 : 1) },
  {
    name: 'minimum rises',
    level: (hour) => Math.max(2, Math.min(30, (hour - warmUp) / 3)) * 1.2,
    minimum: (hour) => Math.max(1, Math.min(30, (hour - warmUp) / 3)),
  },
  { name: 'estimates are zero', level: () => 40, first: () => 1 },
  {
    name: 'estimates are absurd',
    level: () => calm,
    first: (_, random) => [1e6, Number.NaN, -1, 1e9][Math.floor(random() * 4)] ?? 0,
  },
  { name: 'one of two estimates is absurd', level: () => calm, first: () => 1e6, second: honest },
];

export const traceNames: readonly string[] = kinds.map(({ name }) => name);

/** Blocks come as chance has it, ten minutes apart in the mean; one that was long in coming has more to choose from, and asks more. */
export function feeTrace(name: string, seed: number): FeeTrace {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no trace is called ${name}`);
  const random = chanceFrom(seed).next;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const { level, noise = 0.2, minimum = () => 1, deadlineHour, first = honest, second = null } = kind;
  const blocks: TraceBlock[] = [];
  let stray = 0;
  for (let time = 0; time < (warmUp + claims + tail) * 3_600;) {
    const gap = Math.max(1, Math.round(-600 * Math.log(1 - random())));
    time += gap;
    const hour = time / 3_600;
    stray = 0.7 * stray + Math.sqrt(1 - 0.7 ** 2) * noise * normal();
    const rate = Math.max(1, minimum(hour), level(hour) * Math.sqrt(Math.max(0.2, gap / 600)) * Math.exp(stray));
    blocks.push({ time, rate, minimum: minimum(hour) });
  }
  return { name, blocks, deadlineAt: deadlineHour === undefined ? null : deadlineHour * 3_600, first, second };
}

export const claimHours = { from: warmUp, until: warmUp + claims } as const;
