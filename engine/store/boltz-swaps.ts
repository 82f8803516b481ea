import type { Database } from 'better-sqlite3';
import type { PublicKey } from '../domain/hash.ts';

/** Where a client wants to be told of its swap. */
export interface Webhook {
  readonly url: string;
  /** Whether the swap goes by the hash of its id there: whoever runs the place learns no id. */
  readonly hashed: boolean;
  /** Null for all. */
  readonly statuses: readonly string[] | null;
  /** Who asked for it; left out for the owner. */
  readonly client?: string;
}

export interface SwapOfKey {
  readonly id: string;
  /** Whether it ever was. */
  readonly funded: boolean;
  readonly createdAt: number;
}

/** Swaps that came by the door for the Boltz interface, by the id that their client knows. */
export function boltzSwapsTable(db: Database) {
  const insert = db.prepare(`INSERT INTO boltz_swaps (id, swap_id, webhook) VALUES (?, ?, ?)`);
  const insertKey = db.prepare(`INSERT INTO boltz_keys (public_key, id) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const swapOf = db.prepare<[string], { swap_id: string }>(`SELECT swap_id FROM boltz_swaps WHERE id = ?`);
  const idOf = db.prepare<[string], { id: string }>(`SELECT id FROM boltz_swaps WHERE swap_id = ?`);
  const webhookOf = db.prepare<[string], { id: string; webhook: string }>(
    `SELECT id, webhook FROM boltz_swaps WHERE swap_id = ? AND webhook IS NOT NULL`,
  );
  const forgetWebhook = db.prepare(`UPDATE boltz_swaps SET webhook = NULL WHERE swap_id = ? AND webhook IS NOT NULL`);
  const ofKey = db.prepare<[Uint8Array, string, number], { id: string; funded: number; createdAt: number }>(
    `SELECT k.id, s.status NOT IN ('pending', 'expired') AS funded, s.created_at AS createdAt
     FROM boltz_keys k JOIN boltz_swaps b ON b.id = k.id JOIN swaps s ON s.id = b.swap_id
     WHERE k.public_key = ? AND k.id > ? ORDER BY k.id LIMIT ?`,
  );
  return {
    insert(id: string, swapId: string, keys: readonly PublicKey[], webhook: Webhook | null): void {
      insert.run(id, swapId, webhook === null ? null : JSON.stringify(webhook));
      for (const key of keys) insertKey.run(key, id);
    },
    /** The swap that a client calls so; null for none. */
    swapOf: (id: string): string | null => swapOf.get(id)?.swap_id ?? null,
    /** How its client calls a swap; null for one that came by another door. */
    idOf: (swapId: string): string | null => idOf.get(swapId)?.id ?? null,
    /** Of a swap whose client wants to be told; null for any other. */
    webhookOf(swapId: string): { readonly id: string; readonly webhook: Webhook } | null {
      const row = webhookOf.get(swapId);
      return row === undefined ? null : { id: row.id, webhook: JSON.parse(row.webhook) as Webhook };
    },
    /** Nobody is told of the swap any more. */
    forgetWebhook(swapId: string): void {
      forgetWebhook.run(swapId);
    },
    /** Of the swaps of a key those whose ids come next after this one: a key may have any number. */
    ofKey: (key: PublicKey, after: string, most: number): SwapOfKey[] =>
      ofKey.all(key, after, most).map((row) => ({ ...row, funded: row.funded === 1 })),
  };
}
