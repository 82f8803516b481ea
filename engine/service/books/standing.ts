/**
 * Readings for which a balance must stand before the books begin with it, and for which it must stand higher before
 * that is somebody's: a reading may be older than what our transactions did since, or of a node that is ahead.
 */
export const stands = 3;

/** Whether the same amount was found at so many readings, one after the other. */
export function createStanding(): (amount: bigint, reading: unknown) => boolean {
  let last: { readonly amount: bigint; readonly reading: unknown; readonly count: number } | null = null;
  return (amount, reading) => {
    if (last?.amount !== amount) last = { amount, reading, count: 1 };
    else if (last.reading !== reading) last = { amount, reading, count: last.count + 1 };
    return last.count >= stands;
  };
}
