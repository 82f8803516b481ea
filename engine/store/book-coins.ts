import type { Database } from 'better-sqlite3';
import type { Asset } from '../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../domain/outpoint.ts';

/** The coins that a wallet account is made of, by outpoint; of an account chain one, at the place `account`. */
export function bookCoinsTable(db: Database) {
  const all = db.prepare<[string, string], { place: string; amount: string }>(
    `SELECT place, amount FROM book_coins WHERE network = ? AND asset = ?`,
  );
  const put = db.prepare(
    `INSERT INTO book_coins (network, asset, place, amount) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET amount = excluded.amount`,
  );
  const remove = db.prepare(`DELETE FROM book_coins WHERE network = ? AND asset = ? AND place = ?`);
  return {
    /** In the ledger's units. */
    all({ network, asset }: Asset): Map<string, bigint> {
      return new Map(all.all(network, asset).map(({ place, amount }) => [place, BigInt(amount)]));
    },
    put({ network, asset }: Asset, place: string, amount: bigint): void {
      put.run(network, asset, place, amount.toString());
    },
    remove({ network, asset }: Asset, place: string): void {
      remove.run(network, asset, place);
    },
  };
}

/** Batches of an Arkade operator in which coins of ours took part, with the swap or the renewal that they were for. */
export function ownBatchesTable(db: Database) {
  const insert = db.prepare(`INSERT INTO own_batches (txid, subject) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const byId = db.prepare<[string], { subject: string }>(`SELECT subject FROM own_batches WHERE txid = ?`);
  const insertCoin = db.prepare(`INSERT INTO own_batch_coins (txid, outpoint) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const coin = db.prepare<[string, string]>(`SELECT 1 FROM own_batch_coins WHERE txid = ? AND outpoint = ?`);
  return {
    /** `coins`: those that were handed to it. */
    note(txid: Txid, subject: string, coins: readonly Outpoint[]): void {
      insert.run(txid, subject);
      for (const outpoint of coins) insertCoin.run(txid, outpointKey(outpoint));
    },
    /** Whether this coin was handed to that batch, by what was written down then. */
    took(txid: Txid, outpoint: string): boolean {
      return coin.get(txid, outpoint) !== undefined;
    },
    /** Null for one that is none of ours. */
    subjectOf(txid: Txid): string | null {
      return byId.get(txid)?.subject ?? null;
    },
  };
}
