import { spanInWords, type Unix, unix } from '../../domain/time.ts';
import { reachedByEnough } from '../../legs/evm/agreement.ts';
import { mostBlocksIn } from '../../legs/evm/block-rate.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import { createBranches } from './branches.ts';
import { createNamed } from './named.ts';
import { asBlock, type Block } from './read.ts';
import { shared } from './shared.ts';
import type { Answered, Sources } from './sources.ts';
import { unclear, type Source } from './source.ts';
import type { Heads, Tips, TipRules } from './heads.ts';

/** What was agreed on last, and when that was by the wall and by the run of this process, in seconds. */
interface Agreement {
  readonly height: number;
  readonly sure: Unix;
  readonly wall: number;
  readonly run: number;
}

/** Seconds that a block may be ahead of what the clocks here say has passed. */
const slackSeconds = 60;
const aheadSeconds = 900;
/** A single RPC may leap by so many blocks, and by so many a second. */
const mostAtOnce = 5_000;
const mostPerSecond = 20;
/** A tip that nobody has any more falls back to what all say after so many seconds. */
const settleSeconds = 60;
/** Milliseconds for which what an RPC said of its tip holds at least. */
const freshMs = 30_000;
/** Heights whose block is remembered. */
const mostRemembered = 1_024;

const runSeconds = (): number => performance.now() / 1_000;

/** What the sources agreed on, and how they are asked. */
interface TipReading {
  readonly chainId: number;
  readonly sources: Sources;
  readonly rules: TipRules;
  readonly wall: TipRules['wall'];
  readonly maxTipAge: TipRules['maxTipAge'];
  readonly remembered: Map<number, string>;
  readonly branches: ReturnType<typeof createBranches>;
  readonly named: ReturnType<typeof createNamed>;
  readonly begun: { wall: number; run: number };
  best: { block: Block; wall: number; run: number } | null;
  clock: Unix;
  /** When the clock was set to that, by the run of this process. */
  clockSet: number;
  /** Since when nobody has the best tip any more. */
  lostSince: number | null;
  agreement: Agreement | null;
  standing: string | null;
  lone: string | null;
}

/**
 * The tip is the highest block that enough RPCs name, so that no word alone moves it, and the clock the latest time
 * that enough name. It moves back for a reorganisation: where an RPC is lower and has the blocks that were there
 * before, it lags, and the tip stays for a while. An RPC that stands still leaves the count; the last one left is
 * believed as far as the chain can have come since the others were there (facts/faults.md 36, 64).
 */
export function createTips(chainId: number, sources: Sources, rules: TipRules): Tips {
  const { wall, maxTipAge } = rules;

  const branches = createBranches(chainId, sources);
  const named = createNamed(sources);
  const begun = { wall: wall(), run: runSeconds() };

  const reading: TipReading = {
    chainId,
    sources,
    rules,
    wall,
    maxTipAge,
    remembered: new Map(),
    branches,
    named,
    begun,
    best: null,
    clock: unix(0),
    clockSet: begun.run,
    lostSince: null,
    agreement: null,
    standing: null,
    lone: null,
  };

  return {
    heads: shared(() => look(reading)),
    async of(source, height) {
      const { tip, readAt, genuine } = source;
      const isFresh = genuine && performance.now() - readAt < freshMs;
      return tip !== null && isFresh && tip.height >= height ? tip : latest(reading, source);
    },
    disagreement() {
      const stranger = sources.all.find(
        ({ failure }) => failure?.code === 'other-network' || failure?.code === 'evm-disagreement',
      );
      return stranger?.failure?.message ?? reading.standing ?? reading.lone ?? branches.disagreement();
    },
  };
}

function withOwners(answers: readonly Answered<Block>[]) {
  return answers.map((one) => ({ ...one, own: one.source.own }));
}

async function latest(reading: TipReading, source: Source): Promise<Block> {
  const { sources, wall, maxTipAge, clock, clockSet } = reading;
  const block = asBlock(await sources.ask(source, 'eth_getBlockByNumber', 'latest', false));
  source.tip = block;
  // No block is of the future, but where they come on request: one that says so would leave all others behind it. By a
  // wall that is behind, one that stands still would be as old as the others.
  const now = Math.max(wall(), clock + runSeconds() - clockSet);
  source.dated = maxTipAge() === null ? block.time : Math.min(block.time, now);
  source.readAt = performance.now();
  return block;
}

/** Those that go on. Where all stand still it is the chain that does, or this machine's clock that is ahead. */
function counted(reading: TipReading, answers: readonly Answered<Block>[]): readonly Answered<Block>[] {
  const { chainId, wall, maxTipAge } = reading;
  const most = maxTipAge();
  const age = ({ answer }: Answered<Block>): number => wall() - answer.time;
  const still = most === null ? [] : answers.filter((one) => age(one) > most);
  const [one] = still;
  if (one === undefined || most === null || still.length === answers.length) {
    reading.standing = null;
    return answers;
  }
  reading.standing =
    `The last block of the RPC ${one.source.name} of chain ${chainId} is ${spanInWords(age(one))} old, up to ` +
    `${spanInWords(most)} are usual: it stands still, and its word does not count until it goes on.`;
  return answers.filter((each) => !still.includes(each));
}

function passedSince({ wall }: TipReading, since: { readonly wall: number; readonly run: number }): number {
  return Math.max(0, wall() - since.wall, runSeconds() - since.run);
}

function remember(reading: TipReading, block: Block): void {
  const { wall, remembered } = reading;
  for (const height of remembered.keys()) if (height >= block.height) remembered.delete(height);
  remembered.set(block.height - 1, block.parent).set(block.height, block.hash);
  for (const height of remembered.keys()) if (remembered.size > mostRemembered) remembered.delete(height);
  reading.best = { block, wall: wall(), run: runSeconds() };
  reading.lostSince = null;
}

/** A single RPC that says something absurd once would hold the tip up there. */
function judgeJump(reading: TipReading, block: Block): void {
  const { chainId, sources } = reading;
  if (reading.best === null || sources.all.length > 1) return;
  if (block.height - reading.best.block.height > mostAtOnce + mostPerSecond * passedSince(reading, reading.best))
    throw evmFailure(
      'evm-unclear',
      'safe',
      `Chain ${chainId} was at height ${reading.best.block.height}, and its RPC says ${block.height} a moment later: it ` +
        'is not believed.',
    );
}

/** Whether the chain that led to the tip is still the one that an RPC with a lower tip has. */
async function lags(reading: TipReading, { source, answer }: Answered<Block>): Promise<boolean> {
  const { remembered } = reading;
  const below = [...remembered].filter(([height]) => height <= answer.height).toSorted(([a], [b]) => b - a);
  const [height, hash] = below[0] ?? [];
  if (height === undefined) return true;
  return (height === answer.height ? answer.hash : (await blockAt(reading, source, height)).hash) === hash;
}

/** True where the tip went back. */
async function follow(
  reading: TipReading,
  next: Answered<Block>,
  answers: readonly Answered<Block>[],
): Promise<boolean> {
  if (reading.best === null || next.answer.height > reading.best.block.height) {
    judgeJump(reading, next.answer);
    remember(reading, next.answer);
    return false;
  }
  const { hash, height } = reading.best.block;
  if (answers.some(({ answer }) => answer.hash === hash || answer.height > height)) {
    reading.lostSince = null;
    return false;
  }
  reading.lostSince ??= runSeconds();
  const isGone = runSeconds() - reading.lostSince > settleSeconds;
  if (next.answer.height < height && !isGone && (await lags(reading, next))) return false;
  remember(reading, next.answer);
  return true;
}

/** What the last one left says, no further than the chain can have come since others agreed with it. */
async function bounded(reading: TipReading, { source, answer }: Answered<Block>): Promise<Answered<Block>> {
  const { chainId, wall, maxTipAge } = reading;
  const before = reading.agreement ?? beforeThis(reading);
  if (before === null || maxTipAge() === null) return { source, answer };
  const passed = passedSince(reading, before);
  const most = before.height + mostBlocksIn(chainId, passed);
  const block = answer.height <= most ? answer : await blockAt(reading, source, most);
  const latestTime = Math.floor(Math.max(wall(), before.sure + passed)) + slackSeconds;
  return { source, answer: { ...block, time: unix(Math.min(block.time, latestTime)) } };
}

async function blockAt({ sources }: TipReading, source: Source, height: number): Promise<Block> {
  try {
    return asBlock(await sources.ask(source, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false));
  } catch (cause) {
    throw unclear(source, cause);
  }
}

function beforeThis({ rules }: TipReading): Agreement | null {
  const before = rules.agreedBefore();
  if (before === null) return null;
  const { height, time } = before;
  return { height, sure: time, wall: time, run: runSeconds() };
}

/**
 * One of several is left alone: for as long as an RPC may stand still what it does not show may be there all the
 * same.
 */
function sureAlone(reading: TipReading, block: Block): Heads['sure'] {
  const { chainId, wall, maxTipAge, begun } = reading;
  const most = maxTipAge();
  const since = reading.agreement ?? begun;
  const passed = passedSince(reading, since);
  if (most === null || passed > most) {
    reading.lone =
      most === null
        ? null
        : `For ${spanInWords(Math.floor(passed))} a single RPC of chain ${chainId} tells of new blocks: it serves ` +
          'claims and refunds alone until another one answers.';
    return { time: block.time, ago: 0 };
  }
  return reading.agreement === null ? { time: unix(0), ago: wall() } : { time: reading.agreement.sure, ago: passed };
}

/** Up to when those who came as far as a block tell of everything in it. */
async function sureAt(
  reading: TipReading,
  height: number,
  answers: readonly Answered<Block>[],
): Promise<Heads['sure']> {
  const { wall, named } = reading;
  const there = answers.filter(({ answer }) => answer.height >= height);
  // Whoever does not say when it came there is sure of nothing.
  const times = await Promise.all(there.map(({ source }) => named.timeAt(source, height).catch(() => unix(0))));
  const time = times.length === 0 ? (reading.best?.block.time ?? reading.clock) : unix(Math.min(...times));
  const newest = Math.min(Math.max(...answers.map(({ answer }) => answer.time)), wall() + aheadSeconds);
  return { time, ago: Math.max(0, newest - time) };
}

async function look(reading: TipReading): Promise<Heads> {
  const { sources, wall, branches, named } = reading;
  const answers = await sources.each((source) => latest(reading, source));
  for (const { source, answer } of answers) named.note(source, answer);
  const counting = counted(reading, answers);
  const alone = counting.length === 1 && sources.all.length > 1;
  const voters = alone
    ? withOwners(await Promise.all(counting.map((one) => bounded(reading, one))))
    : withOwners(counting);
  const next = reachedByEnough(voters, ({ answer }) => answer.height);
  const time = reachedByEnough(voters, ({ answer }) => answer.time)?.answer.time;
  if (next === null || time === undefined) throw new Error('nobody is left in the count');
  const wentBack = await follow(reading, next, voters);
  if (wentBack || time > reading.clock) {
    reading.clock = time;
    reading.clockSet = runSeconds();
  }
  await branches.judge(answers);
  const { block } = reading.best ?? { block: next.answer };
  reading.lone = null;
  const sure = alone ? sureAlone(reading, block) : await sureAt(reading, block.height, voters);
  if (!alone)
    reading.agreement = {
      height: block.height,
      sure: sure.time,
      wall: wall() - sure.ago,
      run: runSeconds() - sure.ago,
    };
  return {
    tip: { height: block.height, hash: block.hash, time: reading.clock },
    agreed: !alone,
    sure,
    answers: answers.map((one) => ({ ...one, counts: counting.includes(one) })),
  };
}
