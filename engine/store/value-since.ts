import type { Database } from 'better-sqlite3';

/**
 * Swaps of which nothing of ours was ever at stake or can be; as the index of `migrations/009-counted-values.ts` has
 * them.
 */
const untouched = `'expired', 'clientinvalidfunded', 'clientfundedtoolate', 'serverwontfund', 'clientrefunded'`;

/** Sums that are remembered at once: moments move on where nothing else does. */
const mostSums = 10;

/**
 * The value of swaps of a time. A look at the prices asks the same for each direction, and strangers' creates that
 * nobody funded are most of a day's: each sum is made once a write, of what counts alone (facts/faults.md 180).
 *
 * Loses money when wrong: a sum from before a swap lets more through than the owner allows.
 */
export function createValueSince(db: Database) {
  const sumOf = db.prepare<[{ moment: number; machines: string }], { total: number | null }>(
    `SELECT sum(value_sats) AS total FROM (
       SELECT machine, value_sats FROM swaps INDEXED BY swaps_counted
       WHERE created_at > @moment AND status NOT IN (${untouched})
       UNION ALL
       SELECT machine, value_sats FROM swaps INDEXED BY swaps_agreed
       WHERE agreed_at > @moment AND created_at <= @moment AND status NOT IN (${untouched})
     ) WHERE machine IN (SELECT value FROM json_each(@machines))`,
  );
  const sums = new Map<string, bigint>();

  return {
    of(moment: number, names: readonly string[]): bigint {
      const machines = JSON.stringify(names);
      const key = `${moment} ${machines}`;
      const before = sums.get(key);
      if (before !== undefined) return before;
      const sum = BigInt(sumOf.get({ moment, machines })?.total ?? 0);
      if (sums.size >= mostSums) sums.clear();
      // What this transaction wrote may be undone yet.
      if (!db.inTransaction) sums.set(key, sum);
      return sum;
    },
    /** With each write, before it. */
    forget: () => sums.clear(),
  };
}
