import type { Database } from 'better-sqlite3';
import type { Asset } from '../domain/money.ts';
import { outpointKey, outpointOf, type Outpoint, type Txid } from '../domain/outpoint.ts';
import type { Leg, Queue } from '../legs/leg.ts';
import type { Nonce } from './nonces.ts';
import type { Sealer } from './sealer.ts';

/** A transaction of ours from the moment it is signed: nothing is sent that is not here first. */
export interface TransactionRow extends Asset {
  readonly txid: Txid;
  readonly subject: string;
  /** That of the effect which prepared it, whatever its network. */
  readonly leg: Leg;
  readonly purpose: string;
  readonly state: 'prepared' | 'accepted' | 'final' | 'dead';
  /** The one in whose place it was prepared: of the two one can ever be mined. */
  readonly replaces: Txid | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What made a coin of a transaction of ours, whoever signed it. */
export interface Maker {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
}

interface NewTransaction extends Asset {
  readonly txid: Txid;
  readonly subject: string;
  readonly leg: Leg;
  readonly purpose: string;
  readonly bytes: Uint8Array;
  /** Coins that are promised to it. */
  readonly inputs: readonly Outpoint[];
  readonly replaces?: Txid | null;
  /** Of an account chain, where it orders what coins order elsewhere. */
  readonly nonce?: Nonce;
  /** What made its coins, as far as the chain showed it. */
  readonly makers?: readonly Maker[];
}

interface Raw {
  txid: string;
  network: Asset['network'];
  asset: Asset['asset'];
  subject: string;
  leg: Leg;
  purpose: string;
  state: TransactionRow['state'];
  sealed: Buffer | null;
  replaces: string | null;
  created_at: number;
  updated_at: number;
}

function fromRaw(raw: Omit<Raw, 'sealed'>): TransactionRow {
  return {
    txid: raw.txid,
    network: raw.network,
    asset: raw.asset,
    subject: raw.subject,
    leg: raw.leg,
    purpose: raw.purpose,
    state: raw.state,
    replaces: raw.replaces,
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}

/** What a place in an account's order is known by. */
export function placeOf({ account, nonce }: Pick<Nonce, 'account' | 'nonce'>): string {
  return `${account} ${nonce}`;
}

function pointOf({ outpoint }: { outpoint: string }): Outpoint {
  return outpointOf(outpoint);
}

function context(txid: Txid): string {
  return `transaction ${txid}`;
}

export function transactionsTable(db: Database, sealer: Sealer) {
  const sql = statementsOf(db);

  return {
    /** Throws when a coin is promised to another transaction: the caller prepares again with what is left. */
    insert(row: NewTransaction, now: number): void {
      const sealed = sealer.seal(row.bytes, context(row.txid));
      const { subject, leg, purpose, replaces = null } = row;
      // The same inputs and outputs give the same id: a transaction that was given up may be prepared once more, and is
      // whose it is prepared for now (facts/faults.md 212).
      if (sql.revive.run(subject, leg, purpose, sealed, replaces, now, row.txid).changes === 0)
        sql.insert.run(
          row.txid,
          row.network,
          row.asset,
          subject,
          leg,
          purpose,
          sealed,
          replaces,
          row.nonce?.account ?? null,
          row.nonce?.nonce ?? null,
          now,
          now,
        );
      for (const input of row.inputs) sql.reserve.run(outpointKey(input), row.txid);
      for (const maker of row.makers ?? [])
        sql.noteMaker.run(row.txid, maker.txid, sealer.seal(maker.bytes, context(maker.txid)));
    },
    /** Says nothing of one that was closed meanwhile: its coins are not reserved any more. */
    accepted(txid: Txid, bytes: Uint8Array, now: number): void {
      sql.accept.run(sealer.seal(bytes, context(txid)), now, txid);
    },
    /** The same for bytes that stay as they were signed. */
    sent(txid: Txid, now: number): void {
      sql.send.run(now, txid);
    },
    /** Final or dead: its coins are spent or free again, and its bytes (a claim's hold a preimage) are dropped. */
    close(txid: Txid, state: 'final' | 'dead', now: number): void {
      sql.setState.run(state, now, txid);
      sql.setBytes.run(null, txid);
      sql.release.run(txid);
      // By those of a dead one what hangs on it is judged.
      if (state === 'final') sql.dropMakers.run(txid);
    },
    /** Final as well, of what holds no secret: its bytes stay. */
    finish(txid: Txid, now: number): void {
      sql.setState.run('final', now, txid);
      sql.release.run(txid);
    },
    bytes(txid: Txid): Uint8Array | null {
      const sealed = sql.byId.get(txid)?.sealed;
      return sealed === null || sealed === undefined ? null : sealer.open(sealed, context(txid));
    },
    byId(txid: Txid): TransactionRow | null {
      const raw = sql.byId.get(txid);
      return raw === undefined ? null : fromRaw(raw);
    },
    /** Whose those are whose ids begin so. */
    subjectsBeginning(txid: string): string[] {
      return sql.beginning.all(txid, `${txid}g`).map(({ subject }) => subject);
    },
    /** Those of one leg where it is named, else all. */
    of(subject: string, leg?: Queue): TransactionRow[] {
      const rows = sql.bySubject.all(subject).map(fromRaw);
      return leg === undefined ? rows : rows.filter((row) => row.leg === leg);
    },
    /** The last one of a leg that may be mined still: what a new one of it stands in the place of. */
    standing({ subject, leg, network }: Pick<TransactionRow, 'subject' | 'leg' | 'network'>): Txid | null {
      return sql.standing.get(subject, leg, network, subject, leg)?.txid ?? null;
    },
    /** Every variant that was ever signed for a place in an account's order. */
    onNonce({ network, account, nonce }: Nonce): TransactionRow[] {
      return sql.onNonce.all(network, account, nonce).map(fromRaw);
    },
    /** The same for all places that the chain has not finished with, by account and nonce (`placeOf`). */
    onOpenNonces(network: Asset['network']): Map<string, TransactionRow[]> {
      const places = new Map<string, TransactionRow[]>();
      for (const raw of sql.onOpenNonces.all(network)) {
        const place = placeOf(raw);
        const rows = places.get(place) ?? [];
        rows.push(fromRaw(raw));
        places.set(place, rows);
      }
      return places;
    },
    /** What nobody was ever handed of an account's transactions, in their order. */
    unsent(network: Asset['network'], account: string): TransactionRow[] {
      return sql.unsent.all(network, account).map(fromRaw);
    },
    /** All of a purpose that may be mined still, whosever they are, the oldest first. */
    onTheWay(purpose: string): TransactionRow[] {
      return sql.onTheWay.all(purpose).map(fromRaw);
    },
    /** All of a purpose that are final and whose bytes stay, the oldest first. */
    finished(purpose: string): TransactionRow[] {
      return sql.finished.all(purpose).map(fromRaw);
    },
    reservedCoins(): Outpoint[] {
      return sql.reserved.all().map(pointOf);
    },
    /** Those that coins of this one are promised to. */
    spenders(txid: Txid): TransactionRow[] {
      return sql.spenders.all(`${txid}:`, `${txid};`).map(fromRaw);
    },
    /** The bytes of what made a coin of ours that nothing final spends; null where nobody wrote them down. */
    maker(txid: Txid): Uint8Array | null {
      const raw = sql.maker.get(txid);
      return raw === undefined ? null : sealer.open(raw.sealed, context(txid));
    },
    /** The coins that are promised to one. */
    inputs(txid: Txid): Outpoint[] {
      return sql.reservedBy.all(txid).map(pointOf);
    },
  };
}

/** What the table is asked, each compiled once. */
function statementsOf(db: Database) {
  return {
    insert: db.prepare(
      `INSERT INTO transactions (txid, network, asset, subject, leg, purpose, state, sealed, replaces, account, nonce, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, 'prepared', ?, ?, ?, ?, ?, ?)`,
    ),
    reserve: db.prepare(`INSERT INTO reserved_coins (outpoint, txid) VALUES (?, ?)`),
    release: db.prepare(`DELETE FROM reserved_coins WHERE txid = ?`),
    noteMaker: db.prepare(`INSERT OR IGNORE INTO makers (txid, maker, sealed) VALUES (?, ?, ?)`),
    dropMakers: db.prepare(`DELETE FROM makers WHERE txid = ?`),
    maker: db.prepare<[string], { sealed: Buffer }>(`SELECT sealed FROM makers WHERE maker = ? LIMIT 1`),
    revive: db.prepare(
      `UPDATE transactions SET state = 'prepared', subject = ?, leg = ?, purpose = ?, sealed = ?, replaces = ?, updated_at = ?
       WHERE txid = ? AND state = 'dead'`,
    ),
    setState: db.prepare(`UPDATE transactions SET state = ?, updated_at = ? WHERE txid = ?`),
    accept: db.prepare(
      `UPDATE transactions SET state = 'accepted', sealed = ?, updated_at = ? WHERE txid = ? AND state IN ` +
        `('prepared', 'accepted')`,
    ),
    send: db.prepare(
      `UPDATE transactions SET state = 'accepted', updated_at = ? WHERE txid = ? AND state = 'prepared'`,
    ),
    setBytes: db.prepare(`UPDATE transactions SET sealed = ? WHERE txid = ?`),
    byId: db.prepare<[string], Raw>(`SELECT * FROM transactions WHERE txid = ?`),
    bySubject: db.prepare<[string], Raw>(`SELECT * FROM transactions WHERE subject = ? ORDER BY created_at, txid`),
    // Hex has no letter behind f.
    beginning: db.prepare<[string, string], { subject: string }>(
      `SELECT DISTINCT subject FROM transactions WHERE txid >= ? AND txid < ?`,
    ),
    standing: db.prepare<[string, Leg, string, string, Leg], { txid: string }>(
      `SELECT txid FROM transactions
       WHERE subject = ? AND leg = ? AND network = ? AND state IN ('prepared', 'accepted') AND txid NOT IN (
         SELECT replaces FROM transactions
         WHERE subject = ? AND leg = ? AND state IN ('prepared', 'accepted') AND replaces IS NOT NULL)
       ORDER BY created_at DESC LIMIT 1`,
    ),
    onNonce: db.prepare<[string, string, number], Raw>(
      `SELECT * FROM transactions WHERE network = ? AND account = ? AND nonce = ? ORDER BY created_at, txid`,
    ),
    onOpenNonces: db.prepare<[string], Omit<Raw, 'sealed'> & { account: string; nonce: number }>(
      `SELECT made.txid, made.network, made.asset, made.subject, made.leg, made.purpose, made.state, made.replaces,
              made.created_at, made.updated_at, made.account, made.nonce
       FROM nonces JOIN transactions AS made USING (network, account, nonce)
       WHERE nonces.network = ? AND nonces.state = 'open' ORDER BY made.created_at, made.txid`,
    ),
    unsent: db.prepare<[string, string], Omit<Raw, 'sealed'>>(
      `SELECT made.txid, made.network, made.asset, made.subject, made.leg, made.purpose, made.state, made.replaces,
              made.created_at, made.updated_at
       FROM nonces JOIN transactions AS made USING (network, account, nonce)
       WHERE nonces.network = ? AND nonces.account = ? AND nonces.state = 'open' AND nonces.mined IS NULL
         AND made.state = 'prepared' ORDER BY nonces.nonce`,
    ),
    reservedBy: db.prepare<[string], { outpoint: string }>(`SELECT outpoint FROM reserved_coins WHERE txid = ?`),
    onTheWay: db.prepare<[string], Raw>(
      `SELECT * FROM transactions WHERE purpose = ? AND state IN ('prepared', 'accepted') ORDER BY created_at, txid`,
    ),
    finished: db.prepare<[string], Raw>(
      `SELECT * FROM transactions WHERE purpose = ? AND state = 'final' AND sealed IS NOT NULL ORDER BY created_at, txid`,
    ),
    reserved: db.prepare<[], { outpoint: string }>(`SELECT outpoint FROM reserved_coins`),
    spenders: db.prepare<[string, string], Raw>(
      `SELECT DISTINCT made.* FROM reserved_coins JOIN transactions AS made USING (txid)
       WHERE outpoint > ? AND outpoint < ? ORDER BY made.created_at, made.txid`,
    ),
  };
}
