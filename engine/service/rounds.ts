import type { Runtime } from '../runtime/runtime.ts';

/** Rounds of some work: again and again, one at a time. */
export interface Rounds {
  /** A round now, or the end of the one that runs. */
  check(): Promise<void>;
  /** The same that nobody waits for. */
  soon(): void;
  /** A first round comes after the pause. */
  start(): void;
  /** No further round; the one that runs comes to its end. */
  stop(): Promise<void>;
}

/** `name` is for the log, where a round fails that nobody waits for. */
export function createRounds(
  runtime: Pick<Runtime, 'background'>,
  { name, everyMs, round }: { readonly name: string; readonly everyMs: number; round(): Promise<void> },
): Rounds {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;

  function check(): Promise<void> {
    running ??= round().finally(() => {
      running = null;
    });
    return running;
  }

  const soon = (): void => runtime.background(name, check);

  return {
    check,
    soon,
    start(): void {
      timer = setInterval(soon, everyMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      await running?.catch(() => undefined);
    },
  };
}
