import type { Database } from 'better-sqlite3';
import type { EvmNetwork } from '../domain/chain.ts';
import { decode, encode } from './codec.ts';

/** An HTLC on a chain. */
export interface Htlc {
  readonly network: EvmNetwork;
  readonly htlc: Uint8Array;
}

/** An event of a lock that touches a hash we watch, as its block told of it. */
export interface LockEventRow {
  readonly hash: Uint8Array;
  readonly key: Uint8Array;
  readonly height: number;
  readonly logIndex: number;
  readonly txid: string;
  readonly blockHash: string;
  readonly event: 'created' | 'redeemed' | 'refunded';
  /** Terms of what was created, preimage of what was redeemed. */
  readonly body: unknown;
  /** Whom the coordinator noted for the lock; null for nobody. */
  readonly depositor: Uint8Array | null;
}

interface Raw {
  hash: Buffer;
  key: Buffer;
  height: number;
  log_index: number;
  txid: string;
  block_hash: string;
  event: LockEventRow['event'];
  body: string;
  depositor: Buffer | null;
}

const bytes = (blob: Buffer): Uint8Array => new Uint8Array(blob);

function fromRaw(raw: Raw): LockEventRow {
  return {
    hash: bytes(raw.hash),
    key: bytes(raw.key),
    height: raw.height,
    logIndex: raw.log_index,
    txid: raw.txid,
    blockHash: raw.block_hash,
    event: raw.event,
    body: decode(raw.body),
    depositor: raw.depositor === null ? null : bytes(raw.depositor),
  };
}

/** What the logs of HTLCs said of the hashes that we watch, and how far they were read. */
export function evmLocksTable(db: Database) {
  const scanned = db.prepare<[string, Uint8Array], { scanned: number }>(
    `SELECT scanned FROM evm_cursors WHERE network = ? AND htlc = ?`,
  );
  const move = db.prepare(
    `INSERT INTO evm_cursors (network, htlc, scanned) VALUES (?, ?, ?)
     ON CONFLICT (network, htlc) DO UPDATE SET scanned = excluded.scanned`,
  );
  const since = db.prepare<[string, Uint8Array, Uint8Array], { since: number }>(
    `SELECT since FROM evm_hashes WHERE network = ? AND htlc = ? AND hash = ?`,
  );
  const anyHash = db.prepare<[string, Uint8Array], { one: number }>(
    `SELECT 1 AS one FROM evm_hashes WHERE network = ? AND htlc = ? LIMIT 1`,
  );
  const watch = db.prepare(
    `INSERT INTO evm_hashes (network, htlc, hash, since) VALUES (?, ?, ?, ?)
     ON CONFLICT (network, htlc, hash) DO UPDATE SET since = min(since, excluded.since)`,
  );
  const unwatch = db.prepare(`DELETE FROM evm_hashes WHERE network = ? AND htlc = ? AND hash = ?`);
  const drop = db.prepare(`DELETE FROM evm_locks WHERE network = ? AND htlc = ? AND hash = ?`);
  const clear = db.prepare(`DELETE FROM evm_locks WHERE network = ? AND htlc = ? AND height >= ?`);
  const insert = db.prepare(
    `INSERT INTO evm_locks (network, htlc, hash, height, log_index, txid, block_hash, key, event, body, depositor)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const rows = db.prepare<[string, Uint8Array, Uint8Array], Raw>(
    `SELECT * FROM evm_locks WHERE network = ? AND htlc = ? AND hash = ? ORDER BY height, log_index`,
  );
  const from = db.prepare<[string, Uint8Array, number], Raw>(
    `SELECT * FROM evm_locks WHERE network = ? AND htlc = ? AND height >= ? ORDER BY height, log_index`,
  );
  return {
    /** The height up to which its logs were read; null for never. */
    scanned({ network, htlc }: Htlc): number | null {
      return scanned.get(network, htlc)?.scanned ?? null;
    },
    /** From here on its locks of this hash are kept; what was read before without it is read again. */
    watch({ network, htlc }: Htlc, hash: Uint8Array, height: number): void {
      const earliest = since.get(network, htlc, hash)?.since ?? null;
      if (earliest !== null && earliest <= height) return;
      const before = scanned.get(network, htlc)?.scanned ?? null;
      const alone = anyHash.get(network, htlc) === undefined;
      // Nobody looked while there was nothing to look for.
      const to = before === null || alone ? height - 1 : Math.min(before, height - 1);
      if (to !== before) move.run(network, htlc, Math.max(0, to));
      watch.run(network, htlc, hash, height);
    },
    unwatch({ network, htlc }: Htlc, hash: Uint8Array): void {
      unwatch.run(network, htlc, hash);
      drop.run(network, htlc, hash);
    },
    /** What stands from a height on, in place of what was thought to; the logs are read up to `to`. */
    replace({ network, htlc }: Htlc, range: { from: number; to: number }, events: readonly LockEventRow[]): void {
      clear.run(network, htlc, range.from);
      for (const one of events) {
        const { hash, height, logIndex, txid, blockHash, key, event, body, depositor } = one;
        insert.run(network, htlc, hash, height, logIndex, txid, blockHash, key, event, encode(body), depositor);
      }
      move.run(network, htlc, range.to);
    },
    /** Everything that is known of a hash, in the order of the chain. */
    of({ network, htlc }: Htlc, hash: Uint8Array): LockEventRow[] {
      return rows.all(network, htlc, hash).map(fromRaw);
    },
    from({ network, htlc }: Htlc, height: number): LockEventRow[] {
      return from.all(network, htlc, height).map(fromRaw);
    },
  };
}
