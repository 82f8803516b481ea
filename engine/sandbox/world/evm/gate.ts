/** Who reads waits for who writes, and the other way round: nobody sees a block before it is written down. */
export interface Gate {
  read<T>(work: () => Promise<T>): Promise<T>;
  write<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(): Gate {
  let lastWrite: Promise<unknown> = Promise.resolve();
  const reads = new Set<Promise<unknown>>();
  return {
    async read(work) {
      await lastWrite;
      const running = work();
      reads.add(running);
      try {
        return await running;
      } finally {
        reads.delete(running);
      }
    },
    write(work) {
      const running = lastWrite.then(async () => {
        await Promise.allSettled(reads);
        return work();
      });
      lastWrite = running.catch(() => undefined);
      return running;
    },
  };
}
