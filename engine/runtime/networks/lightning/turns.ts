/** Rounds in which each hold that nobody pays has one. */
const rounds = 6;

/**
 * What is looked at in one round of six: invoices that nobody pays, while the node tells by itself when somebody does.
 * Nothing is at stake there yet.
 */
export function createTurns() {
  const turns = new Map<string, number>();
  let next = 0;
  let round = 0;

  return {
    take(key: string): void {
      if (turns.has(key)) return;
      turns.set(key, next);
      next = (next + 1) % rounds;
    },
    leave(key: string): void {
      turns.delete(key);
    },
    /** What has no turn is due in every round. */
    nextRound(): (key: string) => boolean {
      const now = round;
      round = (round + 1) % rounds;
      return (key) => (turns.get(key) ?? now) === now;
    },
  };
}
