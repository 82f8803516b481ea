/** A stream that one side pushes into and the other iterates; opens at the first `next`, closes on return or abort. */
export function eventQueue<T>(
  signal: AbortSignal,
  open: (push: (value: T) => void, fail: (error: Error) => void) => () => void,
): AsyncIterableIterator<T> {
  const waiting: T[] = [];
  let failure: Error | null = null;
  let wake: (() => void) | null = null;
  let leave: (() => void) | null = null;
  let closed = false;

  function signalReader(): void {
    wake?.();
    wake = null;
  }
  function close(): void {
    closed = true;
    leave?.();
    leave = null;
    signal.removeEventListener('abort', close);
    signalReader();
  }
  function start(): void {
    signal.addEventListener('abort', close, { once: true });
    leave = open(
      (value) => {
        waiting.push(value);
        signalReader();
      },
      (error) => {
        failure = error;
        signalReader();
      },
    );
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next(): Promise<IteratorResult<T>> {
      if (signal.aborted) close();
      if (leave === null && !closed) start();
      while (!closed) {
        const value = waiting.shift();
        if (value !== undefined) return { done: false, value };
        if (failure !== null) {
          const error = failure;
          close();
          throw error;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return { done: true, value: undefined };
    },
    async return(): Promise<IteratorResult<T>> {
      close();
      return { done: true, value: undefined };
    },
  };
}

/** What the SDK throws when the connection behind a stream ends. */
export function connectionEnded(): Error {
  const error = new Error('EventSource error');
  error.name = 'EventSourceError';
  return error;
}
