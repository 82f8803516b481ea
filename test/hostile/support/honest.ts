import { setTimeout as pause } from 'node:timers/promises';
import { wireDirections } from '../../crash/support/directions.ts';
import type { CrashDirection } from '../../crash/support/verdict.ts';
import type { Arena } from './arena.ts';
import { played } from './players.ts';

/** A swap of a client who does nothing but what the guide says. */
export interface HonestSwap {
  readonly direction: CrashDirection;
  readonly id: string;
  /** Until the node began it: it takes nothing on that it cannot be sure of. */
  readonly waited: number;
  /** From there to the last thing that the client waits for. */
  readonly seconds: number;
  /** Seconds that nothing new may have been begun in. */
  readonly doubted: number;
  /** Whether it got what it wanted; else its money came back to it. */
  readonly isDone: boolean;
}

/** Seconds in which a swap that the node began for an honest client ends well, whatever others do meanwhile. */
export const longestSwap = 240;

export const directions = Object.keys(wireDirections) as CrashDirection[];
const done: ReadonlySet<string> = new Set(['serverredeemed', 'clientredeemed']);

/** One client after the other of each direction, each from an address of its own. */
export async function honestClients(arena: Arena, swaps: HonestSwap[], isOver: () => boolean): Promise<void> {
  await Promise.all(
    directions.map(async (direction, place) => {
      const { honest } = wireDirections[direction].stories;
      if (honest === undefined) throw new Error(`nobody is honest from ${direction}`);
      const stage = await arena.asClient(`192.0.2.${place + 1}`);
      while (!isOver()) {
        const begun = performance.now();
        if (!(await played(honest, stage))) return;
        const createdAt = stage.door.createdAt();
        const own = stage.scenarios.findLast((one) => one.direction === direction && one.story === 'honest');
        if (own === undefined) throw new Error(`nothing is known of an honest swap ${direction}`);
        const isDone = done.has(own.seen.at(-1) ?? '');
        if (isDone) arena.served.add(direction);
        swaps.push({
          direction,
          id: own.record.id,
          waited: (createdAt - begun) / 1_000,
          seconds: (performance.now() - createdAt) / 1_000,
          doubted: direction.includes('evm') ? arena.sources.doubtMs(createdAt) / 1_000 : 0,
          isDone,
        });
        await pause(arena.chance.between(500, 2_000));
      }
    }),
  );
}
