import type { Database } from 'better-sqlite3';
import type { Network } from '../domain/chain.ts';
import { sats, type Asset, type Sats } from '../domain/money.ts';
import type { Txid } from '../domain/outpoint.ts';
import type { Unix } from '../domain/time.ts';

/** A place in the order of an account's transactions, of which one can ever be mined. */
export interface Nonce {
  readonly network: Network;
  /** The address whose transactions it orders, as hex. */
  readonly account: string;
  readonly nonce: number;
}

/** What leaves the account once it is mined, gas aside. */
export interface Takes {
  /** Hex; zero for the native coin. */
  readonly token: string;
  /** The contract that takes it by an allowance; null where it is sent. */
  readonly spender: string | null;
  readonly amount: bigint;
}

/** Who may take a token of the account by an allowance, as hex. */
export interface Taker {
  readonly token: string;
  readonly spender: string;
}

/** The variant of a nonce's transaction that a block has. */
export interface Mined {
  readonly by: Txid;
  readonly ok: boolean;
  readonly height: number;
  /** Wei that gas cost. */
  readonly cost: bigint;
  /** What it brought to the account less what it took, gas aside, by asset; empty where nobody wrote it down. */
  readonly moved: Moved;
}

/** Amounts in smallest units by asset, as the ledger names it. */
export type Moved = Readonly<Partial<Record<Asset['asset'], bigint>>>;

export interface NonceRow extends Nonce {
  readonly subject: string;
  readonly purpose: string;
  /** By the chain's clock; null for no hurry. */
  readonly deadline: Unix | null;
  /** What is saved by it. */
  readonly value: Sats;
  readonly takes: Takes | null;
  /** `settled`: what was mined with it is buried. `gone`: something that is not ours is. */
  readonly state: 'open' | 'settled' | 'gone';
  readonly mined: Mined | null;
}

interface Raw {
  network: Network;
  account: string;
  nonce: number;
  subject: string;
  purpose: string;
  deadline: number | null;
  value_sats: string;
  token: string | null;
  spender: string | null;
  amount: string | null;
  state: NonceRow['state'];
  mined: string | null;
  ok: number | null;
  height: number | null;
  cost: string | null;
  moved: string | null;
}

/** Of one chain in a day: beyond them the ceiling of what they may cost was reached long before. */
const mostRelays = 5_000;

function minedOf({ mined: by, ok, height, cost, moved }: Raw): Mined | null {
  if (by === null || height === null) return null;
  const amounts = Object.entries(JSON.parse(moved ?? '{}') as Record<string, string>);
  return {
    by,
    ok: ok === 1,
    height,
    cost: BigInt(cost ?? 0),
    moved: Object.fromEntries(amounts.map(([asset, amount]) => [asset, BigInt(amount)])),
  };
}

function movedText(moved: Moved): string {
  return JSON.stringify(Object.fromEntries(Object.entries(moved).map(([asset, amount]) => [asset, String(amount)])));
}

function fromRaw(raw: Raw): NonceRow {
  const { network, account, nonce, subject, purpose, state, token, spender } = raw;
  return {
    network,
    account,
    nonce,
    subject,
    purpose,
    deadline: raw.deadline as Unix | null,
    value: sats(BigInt(raw.value_sats)),
    takes: token === null ? null : { token, spender, amount: BigInt(raw.amount ?? 0) },
    state,
    mined: minedOf(raw),
  };
}

/**
 * Nonces of account chains, each made in the commit that saves the transaction signed with it. Given to two of them one
 * would replace the other; left out, all later ones would wait for it.
 */
export function noncesTable(db: Database) {
  const sql = statementsOf(db);

  /**
   * Of each account a stretch without a gap: rows are never deleted, so the end of a long one need not be walked to
   * again.
   */
  const runs = new Map<string, { readonly first: number; readonly last: number }>();

  return {
    /** The lowest that nobody has, from the chain's own count on. */
    next({ network, account, from }: { network: Network; account: string; from: number }): number {
      const run = runs.get(`${network} ${account}`);
      const isWithin = run !== undefined && run.first <= from && from <= run.last;
      if (!isWithin && sql.taken.get(network, account, from) === undefined) return from;
      const first = isWithin ? run.first : from;
      const last = sql.endOfRun.get(network, account, isWithin ? run.last : from)?.nonce ?? from;
      runs.set(`${network} ${account}`, { first, last });
      return last + 1;
    },
    /** The highest that was ever given; null where none was. */
    last({ network, account }: Pick<Nonce, 'network' | 'account'>): number | null {
      return sql.last.get(network, account)?.nonce ?? null;
    },
    /** The lowest that the chain may still take, by what of ours is buried; 0 where nothing is. */
    unburied({ network, account }: Pick<Nonce, 'network' | 'account'>): number {
      return (sql.lastSettled.get(network, account)?.nonce ?? -1) + 1;
    },
    /** The same by what of ours is in a block, which a reorganisation may take back. */
    unmined({ network, account }: Pick<Nonce, 'network' | 'account'>): number {
      return (sql.lastMined.get(network, account)?.nonce ?? -1) + 1;
    },
    /** Whether anything was ever signed for the account. */
    isUsed({ network, account }: Pick<Nonce, 'network' | 'account'>): boolean {
      return sql.used.get(network, account) !== undefined;
    },
    /** A transaction was undone, and rows of it with it. */
    forgetRuns(): void {
      runs.clear();
    },
    /** Throws for one that is there already. */
    insert(row: Omit<NonceRow, 'state' | 'mined'>, now: number): void {
      const { network, account, nonce, subject, purpose, deadline, value, takes } = row;
      const takesThat = [takes?.token ?? null, takes?.spender ?? null, takes?.amount.toString() ?? null];
      sql.insert.run(network, account, nonce, subject, purpose, now, deadline, value.toString(), ...takesThat);
    },
    /** Whether the chain has not finished with all of them. */
    isAnyOpen(network: Network): boolean {
      return sql.anyOpen.get(network) !== undefined;
    },
    /** All that the chain has not finished with, in order. */
    open(network: Network): NonceRow[] {
      return sql.open.all(network).map(fromRaw);
    },
    /** The same of one swap or job. */
    openOf(network: Network, subject: string): NonceRow[] {
      return sql.openOf.all(subject, network).map(fromRaw);
    },
    networks(): Network[] {
      return sql.networks.all().map(({ network }) => network);
    },
    /** That of a transaction, in whatever variant. */
    ofTransaction(txid: Txid): NonceRow | null {
      const raw = sql.ofTransaction.get(txid);
      return raw === undefined ? null : fromRaw(raw);
    },
    /** What was signed for clients since a moment, the last first. */
    relaysSince(network: Network, from: number): NonceRow[] {
      return sql.relays.all(network, from).map(fromRaw);
    },
    /** Everybody that an allowance was ever signed for. */
    takers(network: Network, account: string): Taker[] {
      return sql.takers.all(network, account);
    },
    /** The last one that was signed: when, and what was signed since then that takes of it. */
    lastApproval(network: Network, account: string, { token, spender }: Taker): { at: number; taken: bigint } | null {
      const last = sql.lastApproval.get(network, account, token, spender);
      if (last === undefined) return null;
      const rows = sql.takenSince.all(network, account, last.nonce, token, spender);
      return { at: last.reserved_at, taken: rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n) };
    },
    /** Null where a reorganisation took it back. */
    mined({ network, account, nonce }: Nonce, by: Mined | null): void {
      const ok = by === null ? null : Number(by.ok);
      const [cost, moved] = by === null ? [null, null] : [by.cost.toString(), movedText(by.moved)];
      sql.mined.run(by?.by ?? null, ok, by?.height ?? null, cost, moved, network, account, nonce);
    },
    close({ network, account, nonce }: Nonce, state: 'settled' | 'gone'): void {
      sql.close.run(state, network, account, nonce);
    },
  };
}

/** What the table is asked, each compiled once. */
function statementsOf(db: Database) {
  return {
    insert: db.prepare(
      `INSERT INTO nonces (network, account, nonce, subject, purpose, reserved_at, deadline, value_sats, token, spender, amount, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')`,
    ),
    taken: db.prepare<[string, string, number]>(`SELECT 1 FROM nonces WHERE network = ? AND account = ? AND nonce = ?`),
    last: db.prepare<[string, string], { nonce: number | null }>(
      `SELECT MAX(nonce) AS nonce FROM nonces WHERE network = ? AND account = ?`,
    ),
    lastSettled: db.prepare<[string, string], { nonce: number }>(
      `SELECT nonce FROM nonces WHERE network = ? AND account = ? AND state = 'settled' ORDER BY nonce DESC LIMIT 1`,
    ),
    lastMined: db.prepare<[string, string], { nonce: number }>(
      `SELECT nonce FROM nonces WHERE network = ? AND account = ? AND mined IS NOT NULL ORDER BY nonce DESC LIMIT 1`,
    ),
    used: db.prepare<[string, string]>(`SELECT 1 FROM nonces WHERE network = ? AND account = ? LIMIT 1`),
    endOfRun: db.prepare<[string, string, number], { nonce: number }>(
      `SELECT nonce FROM nonces AS one WHERE network = ? AND account = ? AND nonce >= ? AND NOT EXISTS (
         SELECT 1 FROM nonces WHERE network = one.network AND account = one.account AND nonce = one.nonce + 1)
       ORDER BY nonce LIMIT 1`,
    ),
    open: db.prepare<[string], Raw>(`SELECT * FROM nonces WHERE network = ? AND state = 'open' ORDER BY nonce`),
    anyOpen: db.prepare<[string]>(`SELECT 1 FROM nonces WHERE network = ? AND state = 'open' LIMIT 1`),
    // By what was signed for the subject, found by its index: of the chain's open ones there may be hundreds.
    openOf: db.prepare<[string, string], Raw>(
      `SELECT DISTINCT nonces.* FROM transactions AS made CROSS JOIN nonces USING (network, account, nonce)
       WHERE made.subject = ? AND +made.network = ? AND nonces.subject = made.subject AND nonces.state = 'open'
       ORDER BY nonces.nonce`,
    ),
    networks: db.prepare<[], { network: Network }>(`SELECT DISTINCT network FROM nonces WHERE state = 'open'`),
    ofTransaction: db.prepare<[string], Raw>(
      `SELECT nonces.* FROM nonces JOIN transactions AS made USING (network, account, nonce) WHERE made.txid = ?`,
    ),
    relays: db.prepare<[string, number], Raw>(
      `SELECT * FROM nonces WHERE network = ? AND reserved_at >= ? AND (purpose LIKE 'relay-%' OR purpose = 'permit')
       ORDER BY nonce DESC LIMIT ${mostRelays}`,
    ),
    takers: db.prepare<[string, string], Taker>(
      `SELECT DISTINCT token, spender FROM nonces
       WHERE network = ? AND account = ? AND purpose = 'approve' AND spender IS NOT NULL`,
    ),
    lastApproval: db.prepare<[string, string, string, string], { nonce: number; reserved_at: number }>(
      `SELECT nonce, reserved_at FROM nonces
       WHERE network = ? AND account = ? AND purpose = 'approve' AND token = ? AND spender = ? ORDER BY nonce DESC LIMIT 1`,
    ),
    takenSince: db.prepare<[string, string, number, string, string], { amount: string }>(
      `SELECT amount FROM nonces WHERE network = ? AND account = ? AND nonce > ? AND token = ? AND spender = ?`,
    ),
    mined: db.prepare(
      `UPDATE nonces SET mined = ?, ok = ?, height = ?, cost = ?, moved = ? WHERE network = ? AND account = ? AND nonce = ?`,
    ),
    close: db.prepare(`UPDATE nonces SET state = ? WHERE network = ? AND account = ? AND nonce = ?`),
  };
}
