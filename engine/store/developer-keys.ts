import type { Database } from 'better-sqlite3';

export interface DeveloperKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key: the key itself is shown once and never kept. */
  readonly keyHash: Uint8Array;
  readonly maxExtraFeeBps: number;
}

interface Raw {
  id: string;
  name: string;
  key_hash: Buffer;
  max_extra_fee_bps: number;
}

function fromRaw(raw: Raw): DeveloperKey {
  return { id: raw.id, name: raw.name, keyHash: new Uint8Array(raw.key_hash), maxExtraFeeBps: raw.max_extra_fee_bps };
}

export function developerKeysTable(db: Database) {
  const insert = db.prepare(
    `INSERT INTO developer_keys (id, name, key_hash, max_extra_fee_bps, created_at) VALUES (?, ?, ?, ?, ?)`,
  );
  const byHash = db.prepare<[Uint8Array], Raw>(`SELECT * FROM developer_keys WHERE key_hash = ?`);
  const all = db.prepare<[], Raw>(`SELECT * FROM developer_keys ORDER BY created_at, id`);
  const remove = db.prepare(`DELETE FROM developer_keys WHERE id = ?`);
  return {
    insert(key: DeveloperKey, now: number): void {
      insert.run(key.id, key.name, key.keyHash, key.maxExtraFeeBps, now);
    },
    byHash(hash: Uint8Array): DeveloperKey | null {
      const raw = byHash.get(hash);
      return raw === undefined ? null : fromRaw(raw);
    },
    all(): DeveloperKey[] {
      return all.all().map(fromRaw);
    },
    remove(id: string): boolean {
      return remove.run(id).changes === 1;
    },
  };
}
