import type { Database } from 'better-sqlite3';
import type { Hash160, Preimage } from '../domain/hash.ts';
import { asPreimage } from '../domain/hash.ts';
import { toHex } from '../domain/hex.ts';
import type { Sealer } from './sealer.ts';

/**
 * Every hash that a swap ever used, in its 20-byte form: a hash that comes twice, in any direction and whatever became
 * of the first swap, could be opened with a preimage that somebody already knows.
 */
export function hashesTable(db: Database) {
  const insert = db.prepare(`INSERT INTO hashes (hash160, swap_id) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const find = db.prepare<[Uint8Array], { swap_id: string }>(`SELECT swap_id FROM hashes WHERE hash160 = ?`);
  const free = db.prepare(`DELETE FROM hashes WHERE swap_id = ?`);
  return {
    /** False when the hash was used before. */
    claim(hash: Hash160, swapId: string): boolean {
      return insert.run(hash, swapId).changes === 1;
    },
    usedBy(hash: Hash160): string | null {
      return find.get(hash)?.swap_id ?? null;
    },
    /** Only for a swap that nobody was ever told of. */
    free(swapId: string): void {
      free.run(swapId);
    },
  };
}

/** Preimages as they become known, sealed. Kept for ever: each may still be needed to claim. */
export function preimagesTable(db: Database, sealer: Sealer) {
  const insert = db.prepare(`INSERT INTO preimages (hash160, sealed, seen_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`);
  const find = db.prepare<[Uint8Array], { sealed: Buffer }>(`SELECT sealed FROM preimages WHERE hash160 = ?`);
  function context(hash: Hash160): string {
    return `preimage ${toHex(hash)}`;
  }
  return {
    keep(hash: Hash160, preimage: Preimage, now: number): void {
      insert.run(hash, sealer.seal(preimage, context(hash)), now);
    },
    find(hash: Hash160): Preimage | null {
      const row = find.get(hash);
      return row === undefined ? null : asPreimage(sealer.open(row.sealed, context(hash)));
    },
  };
}
