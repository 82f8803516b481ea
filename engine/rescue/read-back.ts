import type { Place, ReadBack } from './place.ts';

/** Between two readings of all that was written. */
const restMs = 3_600_000;
/** After a start, at which all of it is written anew. */
const firstMs = 60_000;
/** Between two pieces: nobody waits for it, and a disk has other work. */
const pieceRestMs = 50;

export interface ReadBackOptions {
  readonly places: () => readonly Place[];
  /** Once nothing is written; what does not answer rejects. */
  readonly inTurn: (place: Place) => Promise<ReadBack>;
  readonly onDamage: (path: string) => void;
}

/**
 * Reads what lies in each place, a piece at a time, and tells what is not as it was written: a disk that changes a
 * byte says nothing of it, and rescue would meet it when nothing else is left. An hour costs one reading of each file.
 */
export function startReadBack({ places, inTurn, onDamage }: ReadBackOptions) {
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function later(rest: () => readonly Place[], ms: number): void {
    if (stopped) return;
    timer = setTimeout(() => void readOn(rest()), ms);
    timer.unref();
  }

  async function readOn(all: readonly Place[]): Promise<void> {
    const [place, ...others] = all;
    if (place === undefined) return later(places, restMs);
    // One that is away is told of by the next write.
    const outcome = await inTurn(place).catch(() => 'over' as const);
    if (outcome === 'differs') onDamage(place.path);
    later(() => (outcome === 'more' ? all : others), pieceRestMs);
  }

  later(places, firstMs);
  return {
    stop(): void {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
