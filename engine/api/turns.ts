/** Milliseconds of requests between two turns of the event loop. */
const sliceMs = 10;

const ticked = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/**
 * Lets requests of strangers at their work a slice at a time, in the order of their coming. Whatever arrived together
 * would else be worked off together, and the owner, a claim and a deadline would wait for all of it (facts/faults.md
 * 51). To be awaited before a piece of work; undefined for the first of a turn, which may begin at once.
 */
export function createTurns(slice = sliceMs): () => Promise<void> | undefined {
  const waiting: (() => void)[] = [];
  /** Whether anybody was let through in this turn of the loop. */
  let busy = false;

  async function next(): Promise<void> {
    busy = false;
    if (waiting.length === 0) return;
    busy = true;
    const begun = performance.now();
    for (
      let go = waiting.shift();
      go !== undefined;
      go = performance.now() - begun < slice ? waiting.shift() : undefined
    ) {
      go();
      // Until all that follows from it at once is done: a tick comes after every promise that is settled.
      await ticked();
      await ticked();
    }
    setImmediate(() => void next());
  }

  return () => {
    if (!busy) {
      busy = true;
      setImmediate(() => void next());
      return undefined;
    }
    return new Promise((resolve) => void waiting.push(resolve));
  };
}
