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
  /** Of how far a block strays, the part that the next one strays by too. */
  readonly memory?: number;
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

/** Weeks by which no rule was made: what it does on them tells whether it was made for the ten alone. */
const heldOut: readonly Kind[] = [
  {
    name: 'three spikes',
    level: (hour) => calm + [15, 27, 66].reduce((sum, at) => sum + spike(hour, warmUp + at), 0) / 3,
  },
  { name: 'slow decay', level: (hour) => calm + (hour < warmUp ? 0 : 80 * 0.5 ** ((hour - warmUp) / 30)) },
  { name: 'step up', level: (hour) => (hour < warmUp + 40 ? calm : 5 * calm) },
  { name: 'step down', level: (hour) => (hour < warmUp + 40 ? 8 * calm : calm) },
  { name: 'quiet, then storm', level: (hour) => (hour < warmUp + 30 ? 2 : 40), noise: 0.5 },
  { name: 'random walk', level: () => 8, noise: 1, memory: 0.99 },
];

export const traceNames: readonly string[] = kinds.map(({ name }) => name);
export const heldOutNames: readonly string[] = heldOut.map(({ name }) => name);

/**
 * Blocks come as chance has it, ten minutes apart in the mean; one that was long in coming has more to choose from, and
 * asks more.
 */
export function feeTrace(name: string, seed: number): FeeTrace {
  const kind = [...kinds, ...heldOut].find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no trace is called ${name}`);
  const random = chanceFrom(seed).next;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const { level, noise = 0.2, memory = 0.7, minimum = () => 1, deadlineHour, first = honest, second = null } = kind;
  const blocks: TraceBlock[] = [];
  let stray = 0;
  for (let time = 0; time < (warmUp + claims + tail) * 3_600;) {
    const gap = Math.max(1, Math.round(-600 * Math.log(1 - random())));
    time += gap;
    const hour = time / 3_600;
    stray = memory * stray + Math.sqrt(1 - memory ** 2) * noise * normal();
    const rate = Math.max(1, minimum(hour), level(hour) * Math.sqrt(Math.max(0.2, gap / 600)) * Math.exp(stray));
    blocks.push({ time, rate, minimum: minimum(hour) });
  }
  return { name, blocks, deadlineAt: deadlineHour === undefined ? null : deadlineHour * 3_600, first, second };
}

export const claimHours = { from: warmUp, until: warmUp + claims } as const;
