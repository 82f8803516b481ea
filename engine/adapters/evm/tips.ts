import { spanInWords } from '../../domain/time.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import type { EvmTip } from '../../legs/evm/port.ts';
import { asBlock, type Block } from './read.ts';
import { shared } from './shared.ts';
import type { Answered, Source, Sources } from './sources.ts';

/** What the RPCs of a chain say together of where it is. */
export interface Tips {
  tip(): Promise<EvmTip>;
  /** The latest block of one RPC as it named it last; it is asked again where that is below a height. */
  of(source: Source, height: number): Promise<Block>;
  disagreement(): string | null;
}

/** RPCs whose blocks are this close, in seconds, are in step. */
const stepSeconds = 60;
/** And no further apart than this: the lowest of those in step is the tip, so that none alone can make blocks look buried. */
const stepBlocks = 64;
/** Seconds between the blocks of two RPCs from which on one of them stands still, or is on a chain of its own. */
const apartSeconds = 120;
/** No chain that swaps are on makes more blocks in a second; one that stood for long makes some at once. */
const mostPerSecond = 20;
const mostAtOnce = 5_000;
/** Seconds that a block may be ahead of this machine's clock. */
const aheadSeconds = 900;
/** Below the lowest tip by so many blocks all must have the same one. */
const buriedBlocks = 16;
const compareEveryMs = 15_000;
/** Milliseconds for which what an RPC said of its tip holds at least. */
const freshMs = 30_000;
/** Heights whose block is remembered. */
const mostRemembered = 1_024;

/**
 * The tip moves forward with those who are in step. It moves back for a reorganisation alone: where an RPC is lower and has
 * the blocks that were there before, it lags or was set back, and the tip stays (facts/faults.md 36).
 */
export function createTips(chainId: number, sources: Sources, wall: () => number): Tips {
  const remembered = new Map<number, string>();
  let best: { block: Block; wall: number; run: number } | null = null;
  let apart: string | null = null;
  let branches: string | null = null;
  let comparedAt = -Infinity;

  async function latest(source: Source): Promise<Block> {
    const block = asBlock(await sources.ask(source, 'eth_getBlockByNumber', 'latest', false));
    source.tip = block;
    source.readAt = performance.now();
    return block;
  }

  /** The hash that an RPC has at a height; null where it has no block there. */
  async function hashAt(source: Source, height: number): Promise<string | null> {
    const block = await sources.ask(source, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false);
    return block === null ? null : asBlock(block).hash;
  }

  /** The lowest of those in step with the newest that can be believed. */
  function believed(answers: readonly Answered<Block>[]): Answered<Block> {
    const byHeight = answers.toSorted((a, b) => b.answer.height - a.answer.height);
    const leader = byHeight.find((one, i) => {
      const next = byHeight[i + 1];
      return next === undefined || canBeAhead(one.answer, next.answer);
    }) as Answered<Block>;
    const inStep = byHeight.filter(
      ({ answer: { height, time } }) =>
        height <= leader.answer.height &&
        height >= leader.answer.height - stepBlocks &&
        Math.abs(time - leader.answer.time) <= stepSeconds,
    );
    return inStep.at(-1) as Answered<Block>;
  }

  function canBeAhead(one: Block, other: Block): boolean {
    const blocks = one.height - other.height;
    // A time that this machine's clock is far from has to be that of another one too.
    if (one.time > wall() + aheadSeconds && one.time - other.time > stepSeconds) return false;
    const seconds = Math.max(0, one.time - other.time);
    return blocks <= stepBlocks + mostPerSecond * seconds;
  }

  function remember(block: Block): void {
    for (const height of remembered.keys()) if (height >= block.height) remembered.delete(height);
    remembered.set(block.height - 1, block.parent).set(block.height, block.hash);
    for (const height of remembered.keys()) if (remembered.size > mostRemembered) remembered.delete(height);
    best = { block, wall: wall(), run: performance.now() };
  }

  /** A single RPC that says something absurd once would hold the tip up there for good. */
  function judgeJump(block: Block): void {
    if (best === null) return;
    const passed = Math.max(0, wall() - best.wall, (performance.now() - best.run) / 1_000);
    if (block.height - best.block.height > mostAtOnce + mostPerSecond * passed)
      throw evmFailure(
        'evm-unclear',
        'safe',
        `Chain ${chainId} was at height ${best.block.height}, and its RPC says ${block.height} a moment later: it is not believed.`,
      );
  }

  /** Whether the chain that led to the tip is still the one that an RPC with a lower tip has. */
  async function lags({ source, answer }: Answered<Block>): Promise<boolean> {
    const below = [...remembered].filter(([height]) => height <= answer.height).toSorted(([a], [b]) => b - a);
    const [height, hash] = below[0] ?? [];
    if (height === undefined) return true;
    return (height === answer.height ? answer.hash : await hashAt(source, height)) === hash;
  }

  async function follow(answers: readonly Answered<Block>[]): Promise<void> {
    const next = believed(answers);
    if (best === null || next.answer.height > best.block.height) {
      judgeJump(next.answer);
      return remember(next.answer);
    }
    const { hash, height } = best.block;
    if (next.answer.hash === hash || answers.some(({ answer }) => answer.hash === hash || answer.height > height))
      return;
    if (next.answer.height === height || !(await lags(next))) remember(next.answer);
  }

  function judgeDistance(answers: readonly Answered<Block>[]): void {
    apart = null;
    const byTime = answers.toSorted((a, b) => b.answer.time - a.answer.time);
    const [newest, oldest] = [byTime[0], byTime.at(-1)];
    if (newest === undefined || oldest === undefined || newest === oldest) return;
    const seconds = newest.answer.time - oldest.answer.time;
    const blocks = Math.abs(newest.answer.height - oldest.answer.height);
    if (seconds > apartSeconds || (seconds <= stepSeconds && blocks > stepBlocks))
      apart = `The RPC ${oldest.source.name} of chain ${chainId} is ${blocks} blocks (${spanInWords(seconds)}) from ${newest.source.name}: one of them stands still or is on a chain of its own.`;
  }

  /** Blocks that are buried are the same everywhere, or one of those who tell of them is on a branch, or lies. */
  async function compare(answers: readonly Answered<Block>[]): Promise<void> {
    if (answers.length < 2 || performance.now() - comparedAt < compareEveryMs) return;
    comparedAt = performance.now();
    const height = Math.max(0, Math.min(...answers.map(({ answer }) => answer.height)) - buriedBlocks);
    const hashes = await Promise.allSettled(answers.map(({ source }) => hashAt(source, height)));
    const [one, ...others] = hashes.flatMap((result, i) =>
      result.status === 'fulfilled' && result.value !== null
        ? [{ hash: result.value, name: answers[i]?.source.name }]
        : [],
    );
    const other = others.find(({ hash }) => hash !== one?.hash);
    branches =
      one === undefined || other === undefined
        ? null
        : `The RPCs ${one.name} and ${other.name} of chain ${chainId} have different blocks at height ${height}: one of them is on a branch, or lies.`;
  }

  async function look(): Promise<EvmTip> {
    const answers = await sources.each(latest);
    await follow(answers);
    judgeDistance(answers);
    await compare(answers);
    if (best === null) throw new Error('a tip was read and not remembered');
    const { height, hash, time } = best.block;
    return { height, hash, time };
  }

  return {
    tip: shared(look),
    async of(source, height) {
      const { tip, readAt, genuine } = source;
      const isFresh = genuine && performance.now() - readAt < freshMs;
      return tip !== null && isFresh && tip.height >= height ? tip : latest(source);
    },
    disagreement() {
      const stranger = sources.all.find(
        ({ failure }) => failure?.code === 'other-network' || failure?.code === 'evm-disagreement',
      );
      return stranger?.failure?.message ?? branches ?? apart;
    },
  };
}
