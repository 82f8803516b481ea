import type { Database } from 'better-sqlite3';
import type { SwapStatus } from '../domain/status.ts';
import type { Unix } from '../domain/time.ts';
import { encode, pack, unpack } from './codec.ts';
import { createWordScan } from './swap-words.ts';
import { createValueSince } from './value-since.ts';

/** A swap as the store keeps it; the machine named in it knows what terms and progress mean. */
export interface SwapRow {
  readonly id: string;
  readonly machine: string;
  readonly createdAt: Unix;
  readonly updatedAt: Unix;
  readonly version: number;
  readonly status: SwapStatus;
  readonly open: boolean;
  /** Why a person must look at it. */
  readonly flag: string | null;
  readonly userId: string | null;
  readonly valueSats: bigint;
  readonly terms: unknown;
  readonly progress: { readonly at: string };
  /** Of the forms that they were saved in. */
  readonly termsVersion: number;
  readonly progressVersion: number;
}

/** What is known of a swap although its terms or progress may not be readable. */
export type SwapHead = Pick<SwapRow, 'id' | 'machine' | 'createdAt' | 'status' | 'valueSats'> & { readonly at: string };

interface Raw {
  id: string;
  machine: string;
  created_at: number;
  updated_at: number;
  version: number;
  status: string;
  at: string;
  open: number;
  flag: string | null;
  user_id: string | null;
  value_sats: number;
  terms: string | Uint8Array;
  progress: string | Uint8Array;
  terms_version: number;
  progress_version: number;
}

export interface SwapFilter {
  readonly machine?: string;
  readonly status?: string;
  readonly open?: boolean;
  /** Part of an id. */
  readonly q?: string;
  /** Swaps that match `q` by anything else. */
  readonly also?: readonly string[];
  /** Created at or before this place, newest first. */
  readonly before?: { readonly createdAt: number; readonly id: string };
  readonly limit: number;
}

function fromRaw(raw: Raw): SwapRow {
  return {
    id: raw.id,
    machine: raw.machine,
    createdAt: raw.created_at as Unix,
    updatedAt: raw.updated_at as Unix,
    version: raw.version,
    status: raw.status as SwapStatus,
    open: raw.open === 1,
    flag: raw.flag,
    userId: raw.user_id,
    valueSats: BigInt(raw.value_sats),
    terms: unpack(raw.terms),
    progress: unpack(raw.progress),
    termsVersion: raw.terms_version,
    progressVersion: raw.progress_version,
  };
}

function headOf(raw: Raw): SwapHead {
  return {
    id: raw.id,
    machine: raw.machine,
    createdAt: raw.created_at as Unix,
    status: raw.status as SwapStatus,
    at: raw.at,
    valueSats: BigInt(raw.value_sats),
  };
}

/** In the order of the columns that `insert` names. */
function valuesOf(row: SwapRow) {
  return [
    row.id,
    row.machine,
    row.createdAt,
    row.updatedAt,
    row.version,
    row.status,
    row.progress.at,
    row.open ? 1 : 0,
    row.flag,
    row.userId,
    row.valueSats,
    encode(row.terms),
    encode(row.progress),
    row.termsVersion,
    row.progressVersion,
  ];
}

export function swapsTable(db: Database) {
  const sql = statementsOf(db);
  const value = createValueSince(db);

  return {
    insert(row: SwapRow): void {
      value.forget();
      sql.insert.run(...valuesOf(row));
    },
    /** Fails when somebody else moved the swap since `row` was read: two actors on one swap is how money is lost. */
    update(row: SwapRow): SwapRow {
      value.forget();
      const changes = sql.update.run(
        row.updatedAt,
        row.status,
        row.progress.at,
        row.open ? 1 : 0,
        row.flag,
        encode(row.progress),
        row.progressVersion,
        row.id,
        row.version,
      ).changes;
      if (changes !== 1) throw new Error(`swap ${row.id} is not at version ${row.version} any more`);
      return { ...row, version: row.version + 1 };
    },
    /**
     * Other terms, for what nothing was given: in the transaction of the `update` that moves the swap, and with its
     * condition. Its value counts by `now`.
     */
    amend({ id, version, terms, termsVersion, valueSats }: SwapRow, now: number): void {
      value.forget();
      const { changes } = sql.amend.run(encode(terms), termsVersion, valueSats, now, id, version);
      if (changes !== 1) throw new Error(`swap ${id} is not at version ${version} any more`);
    },
    /** Swaps that ended without ever being funded and whose story is still kept, oldest first. */
    trimmable(options: {
      createdBefore: number;
      after: { createdAt: number; id: string };
      limit: number;
    }): { readonly id: string; readonly createdAt: number }[] {
      const { createdBefore, after, limit } = options;
      const rows = sql.trimmable.all(createdBefore, after.createdAt, after.id, limit);
      return rows.map(({ id, created_at: createdAt }) => ({ id, createdAt }));
    },
    /** Keeps a swap that was never funded in little room. False when it moved meanwhile: then nothing is changed. */
    trim({ id, version, terms, progress, termsVersion, progressVersion }: SwapRow): boolean {
      return sql.trim.run(pack(terms), pack(progress), termsVersion, progressVersion, id, version).changes === 1;
    },
    /** Trimmed swaps whose script may still be paid by its client. */
    trimmedAfter(id: string, limit: number): string[] {
      return sql.late.all(id, limit).map((row) => row.id);
    },
    remove(id: string): void {
      value.forget();
      sql.removed.run(id);
    },
    byId(id: string): SwapRow | null {
      const raw = sql.byId.get(id);
      return raw === undefined ? null : fromRaw(raw);
    },
    statusOf(id: string): SwapStatus | null {
      return (sql.statusOf.get(id)?.status as SwapStatus | undefined) ?? null;
    },
    createdAt(id: string): Unix | null {
      return (sql.createdAt.get(id)?.created_at as Unix | undefined) ?? null;
    },
    /** The working set, by id: what boot loads, however long the history. */
    openIds(): string[] {
      return sql.openIds
        .all()
        .map(({ id }) => id)
        .sort();
    },
    /** Each with the EVM chain that its terms name; null where they name none. */
    openMachines(): { readonly machine: string; readonly network: string | null }[] {
      return sql.openMachines.all();
    },
    openCounts(): { readonly machine: string; readonly status: string; readonly count: number }[] {
      return sql.openCounts.all();
    },
    /** Those of a user, however many. */
    ofUser(userId: string): string[] {
      return sql.ofUser.all(userId).map(({ id }) => id);
    },
    /** One turn of looking for a word, from a place on; 0 to begin. */
    withWord: createWordScan(db),
    /** The newest first: a stranger may have opened any number under one user id. */
    byUser(userId: string, most: number): string[] {
      return sql.byUser.all(userId, most).map(({ id }) => id);
    },
    /**
     * Value of what these machines began, or agreed to anew, after a moment, that left out for which nothing of ours
     * was ever at stake or can be.
     */
    valueSince: (moment: number, machines: readonly string[]): bigint => value.of(moment, machines),
    head(id: string): SwapHead | null {
      const raw = sql.byId.get(id);
      return raw === undefined ? null : headOf(raw);
    },
    /** Null where it is not known at all; a damaged one is open as well. */
    isOpen(id: string): boolean | null {
      const raw = sql.byId.get(id);
      return raw === undefined ? null : raw.open === 1;
    },
    page: (filter: SwapFilter): SwapHead[] => pageOf(db, filter),
  };
}

/** What the table is asked, each compiled once. */
function statementsOf(db: Database) {
  return {
    insert: db.prepare(
      `INSERT INTO swaps (id, machine, created_at, updated_at, version, status, at, open, flag, user_id, value_sats, terms, progress, terms_version, progress_version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    update: db.prepare(
      'UPDATE swaps SET updated_at = ?, version = version + 1, status = ?, at = ?, open = ?, flag = ?, progress = ' +
        '?, progress_version = ? WHERE id = ? AND version = ?',
    ),
    amend: db.prepare(
      'UPDATE swaps SET terms = ?, terms_version = ?, value_sats = ?, agreed_at = ? WHERE id = ? AND version = ? AND ' +
        'open = 1',
    ),
    byId: db.prepare<[string], Raw>(`SELECT * FROM swaps WHERE id = ?`),
    // What is damaged is left as it is, and is of no chain that anybody could tell.
    openMachines: db.prepare<[], { machine: string; network: string | null }>(
      `SELECT machine, CASE WHEN json_valid(terms) THEN json_extract(terms, '$.network') END AS network FROM swaps ` +
        'WHERE open = 1',
    ),
    openIds: db.prepare<[], { id: string }>(`SELECT id FROM swaps WHERE open = 1`),
    openCounts: db.prepare<[], { machine: string; status: string; count: number }>(
      `SELECT machine, status, count(*) AS count FROM swaps WHERE open = 1 GROUP BY machine, status`,
    ),
    byUser: db.prepare<[string, number], { id: string }>(
      `SELECT id FROM swaps WHERE user_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
    ),
    ofUser: db.prepare<[string], { id: string }>(`SELECT id FROM swaps WHERE user_id = ?`),
    statusOf: db.prepare<[string], { status: string }>(`SELECT status FROM swaps WHERE id = ?`),
    createdAt: db.prepare<[string], { created_at: number }>(`SELECT created_at FROM swaps WHERE id = ?`),
    trimmable: db.prepare<[number, number, string, number], { id: string; created_at: number }>(
      `SELECT id, created_at FROM swaps WHERE open = 0 AND trimmed = 0 AND at IN ('lapsed', 'unopened') AND ` +
        'created_at < ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?',
    ),
    trim: db.prepare(
      `UPDATE swaps SET trimmed = 1, version = version + 1, terms = ?, progress = ?, terms_version = ?, progress_version = ?
       WHERE id = ? AND version = ? AND open = 0`,
    ),
    late: db.prepare<[string, number], { id: string }>(
      `SELECT id FROM swaps WHERE trimmed = 1 AND at = 'lapsed' AND id > ? ORDER BY id LIMIT ?`,
    ),
    removed: db.prepare(`DELETE FROM swaps WHERE id = ?`),
  };
}

function pageOf(db: Database, filter: SwapFilter): SwapHead[] {
  const where: string[] = ['1 = 1'];
  const values: (string | number)[] = [];
  function and(condition: string, ...given: (string | number)[]): void {
    where.push(condition);
    values.push(...given);
  }
  if (filter.machine !== undefined) and('machine = ?', filter.machine);
  if (filter.status !== undefined) and('status = ?', filter.status);
  if (filter.open !== undefined) and(filter.open ? 'open = 1' : 'open = 0');
  if (filter.q !== undefined)
    and('(instr(id, ?) > 0 OR id IN (SELECT value FROM json_each(?)))', filter.q, JSON.stringify(filter.also ?? []));
  if (filter.before !== undefined) and('(created_at, id) < (?, ?)', filter.before.createdAt, filter.before.id);
  values.push(filter.limit);
  const query = db.prepare<(string | number)[], Raw>(
    `SELECT * FROM swaps WHERE ${where.join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT ?`,
  );
  return query.all(...values).map(headOf);
}
