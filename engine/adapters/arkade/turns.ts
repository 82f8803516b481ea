/** Of so many pieces one is of those that may wait, while such wait: they get on however much comes before them. */
const laterEvery = 8;
/** Outcomes that are handed out together, where more pieces wait: what comes of them is saved with one sync. */
const mostTogether = 8;

/**
 * Long work on transactions in pieces, each in a turn of the event loop of its own: hundreds of answers that come at
 * once keep neither each other's requests nor a deadline waiting. First comes what makes money safe.
 */
export interface Turns {
  first<T>(work: () => T): Promise<T>;
  later<T>(work: () => T): Promise<T>;
}

export function createTurns(): Turns {
  const waiting: Record<'first' | 'later', (() => () => void)[]> = { first: [], later: [] };
  const outcomes: (() => void)[] = [];
  let sinceLater = 0;

  function turn(): void {
    const { first, later } = waiting;
    const isTheirs = first.length === 0 || (later.length > 0 && sinceLater >= laterEvery - 1);
    sinceLater = isTheirs ? 0 : sinceLater + 1;
    const outcome = (isTheirs ? later : first).shift()?.();
    if (outcome !== undefined) outcomes.push(outcome);
    const isLast = first.length + later.length === 0;
    if (!isLast) setImmediate(turn);
    if (isLast || outcomes.length >= mostTogether) for (const tell of outcomes.splice(0)) tell();
  }

  function wait<T>(kind: keyof typeof waiting, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      waiting[kind].push(() => {
        try {
          const value = work();
          return () => resolve(value);
        } catch (cause) {
          return () => reject(cause as Error);
        }
      });
      if (waiting.first.length + waiting.later.length === 1) setImmediate(turn);
    });
  }

  return { first: (work) => wait('first', work), later: (work) => wait('later', work) };
}

/** Of the one event loop that there is. */
export const turns = createTurns();
