import type { Unix } from '../../domain/time.ts';
import { asBlock, type Block } from './read.ts';
import type { Sources } from './sources.ts';
import type { Source } from './source.ts';

/** Blocks of an RPC that are remembered. */
const most = 1_024;
/** A block that is so many above another is as good as that one for the time at which it was there. */
const near = 16;

/** When each RPC had come to which height, by the blocks that it named. */
export function createNamed(sources: Sources) {
  const blocks = new Map<Source, { readonly height: number; readonly time: Unix }[]>();

  return {
    note(source: Source, { height, time }: Block): void {
      const before = (blocks.get(source) ?? []).filter((block) => block.height < height);
      blocks.set(source, [...before.slice(1 - most), { height, time }]);
    },
    /** The time of its block at a height, or of one that is little later. */
    async timeAt(source: Source, height: number): Promise<Unix> {
      const own = blocks.get(source) ?? [];
      const at = own.findIndex((one) => one.height >= height);
      const block = own[at];
      if (block !== undefined && block.height - height <= near) return block.time;
      const answer = await sources.ask(source, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false);
      const { time } = asBlock(answer);
      blocks.set(source, own.toSpliced(at === -1 ? own.length : at, 0, { height, time }).slice(-most));
      return time;
    },
  };
}
