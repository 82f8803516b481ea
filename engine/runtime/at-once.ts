/** Works on all of them, `most` at a time, in their order. Ends with the first that rejects. */
export async function atOnce<T>(most: number, all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const worker = async (): Promise<void> => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker));
}
