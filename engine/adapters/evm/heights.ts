import type { EvmPort } from '../../legs/evm/port.ts';
import { asCount } from './read.ts';
import { unclear, type Source } from './source.ts';
import type { Sources } from './sources.ts';

/** Milliseconds between two questions to one RPC: the least, and the most while it wants fewer of them. */
const pauseMs = { least: 1_000, most: 10_000 };
/** By how much a pause shrinks with each answer: whoever wanted fewer questions is soon asked as often as it bears. */
const shrinks = 0.9;

interface Pace {
  readonly ms: number;
  readonly until: number;
}

/**
 * The number of the last block of each RPC. One that rests is not asked, nor one that did not answer yet; and while one
 * that failed is tried again here, nobody else waits for it.
 */
export function createHeights(sources: Sources): EvmPort['heights'] {
  const asking = new Set<Source>();
  const paces = new Map<Source, Pace>();

  const paceOf = (source: Source): Pace => paces.get(source) ?? { ms: pauseMs.least, until: -Infinity };

  function slower(source: Source): void {
    const ms = Math.min(pauseMs.most, 2 * paceOf(source).ms);
    paces.set(source, { ms, until: performance.now() + ms });
  }

  function faster(source: Source): void {
    const ms = Math.max(pauseMs.least, shrinks * paceOf(source).ms);
    paces.set(source, { ms, until: performance.now() + ms - pauseMs.least });
  }

  async function heightOf(source: Source): Promise<number | null> {
    try {
      const height = asCount(await sources.ask(source, 'eth_blockNumber'), 'a height');
      faster(source);
      return height;
    } catch (cause) {
      unclear(source, cause);
      if (source.busy) slower(source);
      return null;
    }
  }

  async function one(source: Source, tell: (rpc: string, height: number) => void): Promise<void> {
    const now = performance.now();
    if (asking.has(source) || now < paceOf(source).until) return;
    if (now < source.restsUntil) {
      if (source.busy) slower(source);
      return;
    }
    asking.add(source);
    source.onTrial = source.failure !== null;
    const height = await heightOf(source).finally(() => {
      asking.delete(source);
      source.onTrial = false;
    });
    if (height !== null) tell(source.name, height);
  }

  return async (tell) => {
    await Promise.all(sources.all.map((source) => one(source, tell)));
  };
}
