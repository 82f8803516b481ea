import type { Database } from 'better-sqlite3';
import { accountOf, endsOf, walletKinds, type Account, type LedgerKind, type WalletName } from '../domain/accounts.ts';
import type { Asset, Money } from '../domain/money.ts';

export interface LedgerRow extends Money {
  readonly id: number;
  readonly subject: string;
  readonly time: number;
  readonly kind: string;
}

/** A line with both of its sides. */
export interface BookRow extends LedgerRow {
  /** Null in lines that are older than the accounts. */
  readonly ends: { readonly from: Account; readonly to: Account } | null;
  /** The transaction that moved it, or the owner's reason. */
  readonly note: string | null;
}

/** What an account holds of an asset: what came to it less what left it. */
export interface AccountBalance extends Money {
  readonly account: Account;
}

interface Raw {
  id: number;
  subject: string;
  time: number;
  kind: string;
  network: Asset['network'];
  asset: Asset['asset'];
  amount: string;
  source: Account | null;
  target: Account | null;
  note: string | null;
}

function fromRaw({ id, subject, time, kind, network, asset, amount }: Raw): LedgerRow {
  return { id, subject, time, kind, network, asset, amount: BigInt(amount) };
}

function bookRow(raw: Raw): BookRow {
  const { source: from, target: to, note } = raw;
  return { ...fromRaw(raw), ends: from === null || to === null ? null : { from, to }, note };
}

/** Moves of the wallets are neither income nor cost; what was written off is. */
export const results = `kind NOT IN (${walletKinds.flatMap((kind) => (kind === 'write-off' ? [] : `'${kind}'`)).join(', ')})`;

/** What the node earned and paid, per swap and kind, and what moved its wallets; with what each account holds. */
export function ledgerTable(db: Database) {
  const sql = statementsOf(db);

  function write(
    subject: string,
    time: number,
    kind: LedgerKind,
    of: Money,
    note: string | null,
    wallet?: WalletName,
  ): void {
    const { network, asset, amount } = of;
    const { from, to } = endsOf(kind, amount, accountOf(sql.machine.get(subject)?.machine ?? null), wallet);
    const worth = amount < 0n ? -amount : amount;
    sql.insert.run(subject, time, kind, network, asset, amount.toString(), from, to, note);
    for (const [account, change] of [
      [from, -worth],
      [to, worth],
    ] as const) {
      const before = BigInt(sql.balance.get(network, asset, account)?.balance ?? 0);
      sql.keep.run(network, asset, account, (before + change).toString());
    }
  }
  const writeWhole = db.transaction(write);

  const mendWhole = db.transaction(
    (time: number, of: Asset, account: Account, balance: bigint, reason: string): void => {
      sql.keep.run(of.network, of.asset, account, balance.toString());
      write('books', time, 'write-off', { ...of, amount: 0n }, `${account}: ${reason}`);
    },
  );

  return {
    /** 0 while nothing was written. */
    lastId(): number {
      return sql.last.get()?.id ?? 0;
    },
    /** What was earned and paid behind a row, in its order. */
    after(id: number, limit: number): LedgerRow[] {
      return sql.after.all(id, limit).map(fromRaw);
    },
    /**
     * A line, and what it moves from one account to another; to be called in the commit that it belongs to. `wallet`
     * is the one that a line of its kind moves.
     */
    write(
      subject: string,
      time: number,
      kind: LedgerKind,
      of: Money,
      note: string | null = null,
      wallet?: WalletName,
    ): void {
      writeWhole(subject, time, kind, of, note, wallet);
    },
    /** Of one kind and asset since a moment. */
    totalSince(kind: LedgerKind, { network, asset }: Asset, from: number): bigint {
      return sql.since.all(kind, network, asset, from).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    },
    /** What a swap or job earned and paid. */
    of(subject: string): LedgerRow[] {
      return sql.bySubject.all(subject).map(fromRaw);
    },
    /** What was earned and paid in a time. */
    page(range: { from: number; to: number; afterId: number; limit: number }): LedgerRow[] {
      return sql.page.all(range.from, range.to, range.afterId, range.limit).map(fromRaw);
    },
    /** Every line of a time, those that moved a wallet too. */
    lines(range: { from: number; to: number; afterId: number; limit: number }): BookRow[] {
      return sql.lines.all(range.from, range.to, range.afterId, range.limit).map(bookRow);
    },
    /** Every line of a swap or job. */
    linesOf(subject: string): BookRow[] {
      return sql.linesOf.all(subject).map(bookRow);
    },
    /** Every line behind a row, in their order. */
    linesAfter(id: number, limit: number): BookRow[] {
      return sql.linesAfter.all(id, limit).map(bookRow);
    },
    /** Sets an account to what its lines come to; the ledger names why, by a line that moves nothing. */
    mend(time: number, of: Asset, account: Account, balance: bigint, reason: string): void {
      mendWhole(time, of, account, balance, reason);
    },
    /** Null where nothing ever moved it. */
    balance({ network, asset }: Asset, account: Account): bigint | null {
      const row = sql.balance.get(network, asset, account);
      return row === undefined ? null : BigInt(row.balance);
    },
    balances(): AccountBalance[] {
      return sql.balances.all().map(({ balance, ...of }) => ({ ...of, amount: BigInt(balance) }));
    },
  };
}

/** What the table is asked, each compiled once. */
function statementsOf(db: Database) {
  return {
    insert: db.prepare(
      `INSERT INTO ledger (subject, time, kind, network, asset, amount, source, target, note) ` +
        `VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    machine: db.prepare<[string], { machine: string }>(`SELECT machine FROM swaps WHERE id = ?`),
    balance: db.prepare<[string, string, string], { balance: string }>(
      `SELECT balance FROM accounts WHERE network = ? AND asset = ? AND account = ?`,
    ),
    balances: db.prepare<[], Asset & { account: Account; balance: string }>(
      `SELECT network, asset, account, balance FROM accounts ORDER BY network, asset, account`,
    ),
    keep: db.prepare(
      `INSERT INTO accounts (network, asset, account, balance) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET balance = excluded.balance`,
    ),
    bySubject: db.prepare<[string], Raw>(`SELECT * FROM ledger WHERE subject = ? AND ${results} ORDER BY id`),
    linesOf: db.prepare<[string], Raw>(`SELECT * FROM ledger WHERE subject = ? ORDER BY id`),
    page: db.prepare<[number, number, number, number], Raw>(
      `SELECT * FROM ledger WHERE time >= ? AND time < ? AND id > ? AND ${results} ORDER BY id LIMIT ?`,
    ),
    lines: db.prepare<[number, number, number, number], Raw>(
      `SELECT * FROM ledger WHERE time >= ? AND time < ? AND id > ? ORDER BY id LIMIT ?`,
    ),
    since: db.prepare<[string, string, string, number], { amount: string }>(
      `SELECT amount FROM ledger WHERE kind = ? AND network = ? AND asset = ? AND time > ?`,
    ),
    linesAfter: db.prepare<[number, number], Raw>(`SELECT * FROM ledger WHERE id > ? ORDER BY id LIMIT ?`),
    last: db.prepare<[], { id: number | null }>(`SELECT max(id) AS id FROM ledger`),
    after: db.prepare<[number, number], Raw>(`SELECT * FROM ledger WHERE id > ? AND ${results} ORDER BY id LIMIT ?`),
  };
}
