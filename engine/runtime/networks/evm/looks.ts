/**
 * Milliseconds between the beginnings of two looks that new blocks ask for: an RPC that names a new one with each
 * answer brings about no more.
 */
const pauseMs = 1_000;
/** So long after the last new block, milliseconds, is one more: an RPC may have the block before its logs. */
const laterMs = 3_000;

/** The looks at one chain, one at a time. */
export interface Looks {
  /** Begins one, unless one goes on. */
  now(): void;
  /** The same, and once more after one that goes on: that may have been too early. */
  anew(): void;
  /** The same, once the pause since the last one is over, and one more where no other block comes for a while. */
  onBlock(): void;
  stop(): Promise<void>;
}

export function createLooks(look: () => Promise<void>): Looks {
  let looking: Promise<void> | null = null;
  let isWanted = false;
  let begun = -Infinity;
  let timer: NodeJS.Timeout | null = null;
  let later: NodeJS.Timeout | null = null;
  let stopped = false;

  function now(): void {
    if (stopped || looking !== null) return;
    if (timer !== null) clearTimeout(timer);
    timer = null;
    isWanted = false;
    begun = performance.now();
    looking = look().finally(() => {
      looking = null;
      if (isWanted) now();
    });
  }

  function anew(): void {
    if (looking === null) now();
    else isWanted = true;
  }

  function inTurn(): void {
    if (stopped || timer !== null) return;
    const left = begun + pauseMs - performance.now();
    if (left <= 0) return anew();
    timer = setTimeout(() => {
      timer = null;
      anew();
    }, left);
  }

  return {
    now,
    anew,
    onBlock() {
      if (stopped) return;
      inTurn();
      if (later !== null) clearTimeout(later);
      later = setTimeout(inTurn, laterMs);
    },
    async stop() {
      stopped = true;
      for (const one of [timer, later]) if (one !== null) clearTimeout(one);
      await looking;
    },
  };
}
