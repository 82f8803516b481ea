import type { Database } from 'better-sqlite3';
import type { PublicKey } from '../domain/hash.ts';

/** Swaps that came by the door for the Boltz interface, by the id that their client knows. */
export function boltzSwapsTable(db: Database) {
  const insert = db.prepare(`INSERT INTO boltz_swaps (id, swap_id) VALUES (?, ?)`);
  const insertKey = db.prepare(`INSERT INTO boltz_keys (public_key, id) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const swapOf = db.prepare<[string], { swap_id: string }>(`SELECT swap_id FROM boltz_swaps WHERE id = ?`);
  const idOf = db.prepare<[string], { id: string }>(`SELECT id FROM boltz_swaps WHERE swap_id = ?`);
  // The newest first: one key may have any number.
  const ofKey = db.prepare<[Uint8Array, number], { id: string }>(
    `SELECT k.id FROM boltz_keys k JOIN boltz_swaps b ON b.id = k.id JOIN swaps s ON s.id = b.swap_id
     WHERE k.public_key = ? ORDER BY s.status IN ('pending', 'expired'), s.created_at DESC, k.id LIMIT ?`,
  );
  return {
    insert(id: string, swapId: string, keys: readonly PublicKey[]): void {
      insert.run(id, swapId);
      for (const key of keys) insertKey.run(key, id);
    },
    /** The swap that a client calls so; null for none. */
    swapOf: (id: string): string | null => swapOf.get(id)?.swap_id ?? null,
    /** How its client calls a swap; null for one that came by another door. */
    idOf: (swapId: string): string | null => idOf.get(swapId)?.id ?? null,
    ofKey: (key: PublicKey, most: number): string[] => ofKey.all(key, most).map(({ id }) => id),
  };
}
