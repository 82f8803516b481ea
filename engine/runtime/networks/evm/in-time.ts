import { setTimeout as delay } from 'node:timers/promises';
import { PortFailure } from '../../../domain/errors.ts';
import type { EvmHead } from '../../../legs/evm/port.ts';

/** Milliseconds that one is waited for once another is done. */
const lateMs = 10_000;

/** Whether anything was asked, or what that failed with. */
type ReadOnce = boolean | PortFailure;

/**
 * What reading comes to with each RPC of a chain, undefined for one that others would wait for too long: it is not
 * begun again while it is at work, and what it comes to is of the next look that finds it done.
 *
 * Loses money when wrong: one RPC that drips keeps back what the others tell, the claim of our lock among it, until the
 * secret is of no use (facts/faults.md 339).
 */
export function createInTime() {
  const atWork = new Map<string, Promise<ReadOnce>>();

  return async (
    rpcs: readonly EvmHead[],
    begin: (rpc: EvmHead) => Promise<ReadOnce>,
  ): Promise<readonly (ReadOnce | undefined)[]> => {
    const results: (ReadOnce | undefined)[] = rpcs.map(() => undefined);
    const late = new Set(atWork.keys());
    let isOver = false;
    const works = rpcs.map(async (rpc, i) => {
      const work = atWork.get(rpc.name) ?? begin(rpc);
      atWork.set(rpc.name, work);
      try {
        const result = await work;
        if (!isOver) results[i] = result;
        return result;
      } finally {
        if (!isOver) atWork.delete(rpc.name);
      }
    });
    const all = Promise.all(works);
    // One that was late before is not waited for once more.
    const others = (): readonly Promise<ReadOnce>[] => works.filter((_, i) => !late.has(rpcs[i]?.name ?? ''));
    const first = Promise.any(works.map(succeeded)).then(
      () => Promise.race([Promise.all(others()), delay(lateMs, undefined, { ref: false })]),
      () => all,
    );
    try {
      await Promise.race([all, first]);
      return results;
    } finally {
      isOver = true;
    }
  };
}

async function succeeded(work: Promise<ReadOnce>): Promise<void> {
  const result = await work;
  if (result instanceof PortFailure) throw result;
}
