/** Whoever asks while the same question is on its way has that one's answer: many who ask at once ask once. */
export function shared<T>(question: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | null = null;
  return () => {
    asking ??= question().finally(() => {
      asking = null;
    });
    return asking;
  };
}
