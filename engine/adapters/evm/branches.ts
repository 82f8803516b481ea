import { spanInWords } from '../../domain/time.ts';
import { asBlock, type Block } from './read.ts';
import type { Answered, Sources } from './sources.ts';
import type { Source } from './source.ts';

/** RPCs whose blocks are this close, in seconds, are in step. */
const stepSeconds = 60;
/** And no further apart than this. */
const stepBlocks = 64;
/** Seconds between the blocks of two RPCs from which on one of them stands still, or is on a chain of its own. */
const apartSeconds = 120;
/** Below the lowest tip by so many blocks all must have the same one. */
const buriedBlocks = 16;
const compareEveryMs = 15_000;

/** Whether the RPCs of a chain are on one branch of it, and in step. */
export function createBranches(chainId: number, sources: Sources) {
  let comparedAt = -Infinity;
  let apart: string | null = null;
  let branches: string | null = null;

  /** The hash that an RPC has at a height; null where it has no block there. */
  async function hashAt(source: Source, height: number): Promise<string | null> {
    const block = await sources.ask(source, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false);
    return block === null ? null : asBlock(block).hash;
  }

  function judgeDistance(answers: readonly Answered<Block>[]): void {
    apart = null;
    const byTime = answers.toSorted((a, b) => b.answer.time - a.answer.time);
    const [newest, oldest] = [byTime[0], byTime.at(-1)];
    if (newest === undefined || oldest === undefined || newest === oldest) return;
    const seconds = newest.answer.time - oldest.answer.time;
    const blocks = Math.abs(newest.answer.height - oldest.answer.height);
    if (seconds > apartSeconds || (seconds <= stepSeconds && blocks > stepBlocks))
      apart =
        `The RPC ${oldest.source.name} of chain ${chainId} is ${blocks} blocks (${spanInWords(seconds)}) from ` +
        `${newest.source.name}: one of them stands still or is on a chain of its own.`;
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
        : `The RPCs ${one.name} and ${other.name} of chain ${chainId} have different blocks at height ${height}: ` +
          'one of them is on a branch, or lies.';
  }

  return {
    async judge(answers: readonly Answered<Block>[]): Promise<void> {
      judgeDistance(answers);
      await compare(answers);
    },
    disagreement: (): string | null => branches ?? apart,
  };
}
