/**
 * Waits for places that may never answer: a share whose server is gone, a disk that died. What hangs there cannot be
 * called back and keeps one of the few threads by which this process also reads its own files and looks names up, so
 * that no place is asked again before it answered (facts/faults.md 91).
 */
export function createPatience(ms: number) {
  const under = new Map<string, Promise<unknown>>();

  return async function patiently<T>(place: string, act: () => Promise<T>): Promise<T> {
    if (under.has(place)) throw new Error('it does not answer');
    const work = act().finally(() => under.delete(place));
    under.set(place, work);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it does not answer')), ms);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * The same, one after the other: who comes while a place is busy waits for it, so that all that is noted below one
 * folder keeps one thread at the most. Where the first is not answered the others wait no longer than it did.
 */
export function createTurns(ms: number) {
  const patiently = createPatience(ms);
  const last = new Map<string, Promise<void>>();

  return async function inTurn<T>(place: string, act: () => Promise<T>): Promise<T> {
    const turn = (last.get(place) ?? Promise.resolve()).then(() => patiently(place, act));
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    last.set(place, over);
    try {
      return await turn;
    } finally {
      if (last.get(place) === over) last.delete(place);
    }
  };
}
