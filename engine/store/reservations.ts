import type { Database } from 'better-sqlite3';
import { sats, type Sats } from '../domain/money.ts';

/** Liquidity promised to swaps that have not used it yet. Every quote and create asks for the totals: they are kept. */
export function reservationsTable(db: Database) {
  const insert = db.prepare(`INSERT INTO reservations (swap_id, network, sats) VALUES (?, ?, ?)`);
  const release = db.prepare<[string], { network: string; sats: number }>(
    `DELETE FROM reservations WHERE swap_id = ? RETURNING network, sats`,
  );
  const all = db.prepare<[], { network: string; total: number }>(
    `SELECT network, sum(sats) AS total FROM reservations GROUP BY network`,
  );
  let known: Map<string, bigint> | null = null;

  function change(network: string, by: bigint): void {
    if (known === null) return;
    const total = (known.get(network) ?? 0n) + by;
    if (total === 0n) known.delete(network);
    else known.set(network, total);
  }

  return {
    hold(swapId: string, network: string, amount: Sats): void {
      insert.run(swapId, network, amount);
      change(network, amount);
    },
    release(swapId: string): boolean {
      const released = release.all(swapId);
      for (const row of released) change(row.network, -BigInt(row.sats));
      return released.length > 0;
    },
    totals(): Map<string, Sats> {
      known ??= new Map(all.all().map(({ network, total }) => [network, BigInt(total)]));
      return new Map([...known].map(([network, total]) => [network, sats(total)]));
    },
    /** A transaction was undone: what is kept may count promises that do not exist. */
    forgetTotals(): void {
      known = null;
    },
  };
}
