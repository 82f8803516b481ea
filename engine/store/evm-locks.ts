import type { Database } from 'better-sqlite3';
import type { EvmNetwork } from '../domain/chain.ts';
import { asEvmAddress, type EvmAddress } from '../domain/evm.ts';
import { type Unix, unix } from '../domain/time.ts';
import { decode, encode } from './codec.ts';

/** An HTLC on a chain. */
export interface Htlc {
  readonly network: EvmNetwork;
  readonly htlc: Uint8Array;
}

/** A tip that enough RPCs of a chain named. */
interface Agreed {
  readonly height: number;
  readonly time: Unix;
}

/** What is watched of a hash, by a name for what is wanted of its locks. */
export interface WatchedHash {
  readonly hash: Uint8Array;
  readonly wanted: string;
}

/** Heights of locks that were made for a watched hash and are wanted by nobody who goes by this name. */
export interface OtherLocks extends WatchedHash {
  readonly heights: readonly number[];
}

/** An event of a lock that somebody wants to hear of, as its block told of it. */
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
  /** Whom the coordinator noted for the lock; null while it is not known. */
  readonly depositor: EvmAddress | 'nobody' | null;
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
    depositor: depositorIn(raw.depositor),
  };
}

/** Nobody is no bytes. */
function depositorIn(blob: Buffer | null): LockEventRow['depositor'] {
  if (blob === null) return null;
  return blob.length === 0 ? 'nobody' : asEvmAddress(bytes(blob));
}

function depositorBlob(depositor: LockEventRow['depositor']): Uint8Array | null {
  return depositor === 'nobody' ? new Uint8Array() : depositor;
}

/** Hashes of which anything is wanted below a height. */
function watchedBefore(db: Database) {
  const before = db.prepare<[string, Uint8Array, number], { hash: Buffer }>(
    `SELECT DISTINCT hash FROM evm_hashes WHERE network = ? AND htlc = ? AND since < ?`,
  );
  return ({ network, htlc }: Htlc, height: number): Uint8Array[] =>
    before.all(network, htlc, height).map(({ hash }) => bytes(hash));
}

/**
 * Without these rows: their blocks, those since which their hashes are watched, and all after them are read again, for
 * a lock may stand below what was told of it.
 */
function readAgain(db: Database) {
  const remove = db.prepare(
    `DELETE FROM evm_locks WHERE network = ? AND htlc = ? AND height = ? AND log_index = ? AND txid = ? AND
     block_hash = ? AND key = ? AND event = ?`,
  );
  const firstSince = db.prepare<[string, Uint8Array, Uint8Array], { since: number | null }>(
    `SELECT min(since) AS since FROM evm_hashes WHERE network = ? AND htlc = ? AND hash = ?`,
  );
  const moveBack = db.prepare(`UPDATE evm_cursors SET scanned = min(scanned, ?) WHERE network = ? AND htlc = ?`);
  return ({ network, htlc }: Htlc, events: readonly LockEventRow[]): void => {
    for (const { height, logIndex, txid, blockHash, key, event } of events)
      remove.run(network, htlc, height, logIndex, txid, blockHash, key, event);
    const sinceOf = ({ hash }: LockEventRow): number => firstSince.get(network, htlc, hash)?.since ?? Infinity;
    const first = Math.min(...events.flatMap((one) => [one.height, sinceOf(one)]));
    moveBack.run(Math.max(0, first - 1), network, htlc);
  };
}

/**
 * What the logs of HTLCs said of the hashes that we watch, and how far they were read. Locks that no swap wants leave
 * no row, however many are made: their number is kept with the hash, of blocks that are not read again.
 */
export function evmLocksTable(db: Database) {
  const scanned = db.prepare<[string, Uint8Array], { scanned: number }>(
    `SELECT scanned FROM evm_cursors WHERE network = ? AND htlc = ?`,
  );
  const move = db.prepare(
    `INSERT INTO evm_cursors (network, htlc, scanned) VALUES (?, ?, ?)
     ON CONFLICT (network, htlc) DO UPDATE SET scanned = excluded.scanned`,
  );
  const agree = db.prepare(`UPDATE evm_cursors SET agreed_height = ?, agreed_time = ? WHERE network = ? AND htlc = ?`);
  const agreed = db.prepare<[string], { height: number; time: number }>(
    `SELECT agreed_height AS height, agreed_time AS time FROM evm_cursors
     WHERE network = ? AND agreed_height IS NOT NULL ORDER BY agreed_height DESC LIMIT 1`,
  );
  const since = db.prepare<[string, Uint8Array, Uint8Array, string], { since: number }>(
    `SELECT since FROM evm_hashes WHERE network = ? AND htlc = ? AND hash = ? AND wanted = ?`,
  );
  const anyHash = db.prepare<[string, Uint8Array], { one: number }>(
    `SELECT 1 AS one FROM evm_hashes WHERE network = ? AND htlc = ? LIMIT 1`,
  );
  const watch = db.prepare(
    `INSERT INTO evm_hashes (network, htlc, hash, wanted, since) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (network, htlc, hash, wanted) DO UPDATE SET since = min(since, excluded.since)`,
  );
  const unwatch = db.prepare(`DELETE FROM evm_hashes WHERE network = ? AND htlc = ? AND hash = ? AND wanted = ?`);
  const drop = db.prepare(
    `DELETE FROM evm_locks WHERE network = $network AND htlc = $htlc AND hash = $hash AND NOT EXISTS
     (SELECT 1 FROM evm_hashes WHERE network = $network AND htlc = $htlc AND hash = $hash)`,
  );
  const counted = db.prepare<[string, Uint8Array, Uint8Array, string], { counted: number }>(
    `SELECT counted FROM evm_hashes WHERE network = ? AND htlc = ? AND hash = ? AND wanted = ?`,
  );
  const count = db.prepare(
    `UPDATE evm_hashes SET others = others + ?, counted = ? WHERE network = ? AND htlc = ? AND hash = ? AND wanted = ?`,
  );
  const others = db.prepare<[string, Uint8Array, Uint8Array], { others: number | null }>(
    `SELECT max(others) AS others FROM evm_hashes WHERE network = ? AND htlc = ? AND hash = ?`,
  );
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
    /** The tip that enough RPCs of the chain named last, when this was written; null for never. */
    agreed(network: EvmNetwork): Agreed | null {
      const last = agreed.get(network);
      return last === undefined ? null : { height: last.height, time: unix(last.time) };
    },
    /** The height up to which enough RPCs told the same of its logs; null for never. */
    scanned({ network, htlc }: Htlc): number | null {
      return scanned.get(network, htlc)?.scanned ?? null;
    },
    /**
     * From here on those of its locks of this hash that are wanted are kept; what was read before without it is read
     * again. While there was nothing to look for nobody looked.
     */
    watch({ network, htlc }: Htlc, { hash, wanted }: WatchedHash, height: number): void {
      const earliest = since.get(network, htlc, hash, wanted)?.since ?? null;
      if (earliest !== null && earliest <= height) return;
      const reached = scanned.get(network, htlc)?.scanned ?? null;
      const to = anyHash.get(network, htlc) === undefined ? height - 1 : Math.min(reached ?? height, height - 1);
      if (to !== reached) move.run(network, htlc, Math.max(0, to));
      watch.run(network, htlc, hash, wanted, height);
    },
    watchedBefore: watchedBefore(db),
    /** What was kept of the hash goes with the last who wanted anything of it. */
    unwatch({ network, htlc }: Htlc, { hash, wanted }: WatchedHash): void {
      unwatch.run(network, htlc, hash, wanted);
      drop.run({ network, htlc, hash });
    },
    /**
     * What stands from a height on, in place of what was thought to; enough told the same up to `to`, at the tip `at`,
     * null where one told it alone. What is up to `settled` is not read again.
     */
    replace(
      { network, htlc }: Htlc,
      range: { readonly from: number; readonly to: number; readonly settled: number; readonly at: Agreed | null },
      events: readonly LockEventRow[],
      unwanted: readonly OtherLocks[],
    ): void {
      clear.run(network, htlc, range.from);
      for (const one of events) {
        const { hash, height, logIndex, txid, blockHash, key, event, body } = one;
        const depositor = depositorBlob(one.depositor);
        insert.run(network, htlc, hash, height, logIndex, txid, blockHash, key, event, encode(body), depositor);
      }
      for (const { hash, wanted, heights } of unwanted) {
        const before = counted.get(network, htlc, hash, wanted)?.counted ?? range.settled;
        const more = heights.filter((height) => height > before && height <= range.settled).length;
        if (more > 0) count.run(more, range.settled, network, htlc, hash, wanted);
      }
      move.run(network, htlc, range.to);
      if (range.at !== null) agree.run(range.at.height, range.at.time, network, htlc);
    },
    readAgain: readAgain(db),
    /** How many locks of a hash were made that no swap wants. */
    others: ({ network, htlc }: Htlc, hash: Uint8Array): number => others.get(network, htlc, hash)?.others ?? 0,
    /** Everything that is known of a hash, in the order of the chain. */
    of({ network, htlc }: Htlc, hash: Uint8Array): LockEventRow[] {
      return rows.all(network, htlc, hash).map(fromRaw);
    },
    from({ network, htlc }: Htlc, height: number): LockEventRow[] {
      return from.all(network, htlc, height).map(fromRaw);
    },
  };
}
