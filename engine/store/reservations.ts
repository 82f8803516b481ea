import type { Database } from 'better-sqlite3';
import { sats, type Sats } from '../domain/money.ts';

/** Liquidity promised to swaps that have not used it yet. */
export function reservationsTable(db: Database) {
  const insert = db.prepare(`INSERT INTO reservations (swap_id, network, sats) VALUES (?, ?, ?)`);
  const release = db.prepare(`DELETE FROM reservations WHERE swap_id = ?`);
  const all = db.prepare<[], { network: string; total: number }>(`SELECT network, sum(sats) AS total FROM reservations GROUP BY network`);
  return {
    hold(swapId: string, network: string, amount: Sats): void {
      insert.run(swapId, network, amount);
    },
    release(swapId: string): boolean {
      return release.run(swapId).changes > 0;
    },
    totals(): Map<string, Sats> {
      return new Map(all.all().map(({ network, total }) => [network, sats(total)]));
    },
  };
}
