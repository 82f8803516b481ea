import type { Database } from 'better-sqlite3';
import type { Asset, Money } from '../domain/money.ts';

export interface LedgerRow extends Money {
  readonly id: number;
  readonly subject: string;
  readonly time: number;
  readonly kind: string;
}

interface Raw {
  id: number;
  subject: string;
  time: number;
  kind: string;
  network: Asset['network'];
  asset: Asset['asset'];
  amount: string;
}

function fromRaw(raw: Raw): LedgerRow {
  return { ...raw, amount: BigInt(raw.amount) };
}

/** What the node earned and paid, per swap and kind. */
export function ledgerTable(db: Database) {
  const insert = db.prepare(
    `INSERT INTO ledger (subject, time, kind, network, asset, amount) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const bySubject = db.prepare<[string], Raw>(`SELECT * FROM ledger WHERE subject = ? ORDER BY id`);
  const page = db.prepare<[number, number, number, number], Raw>(
    `SELECT * FROM ledger WHERE time >= ? AND time <= ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const since = db.prepare<[string, string, string, number], { amount: string }>(
    `SELECT amount FROM ledger WHERE kind = ? AND network = ? AND asset = ? AND time > ?`,
  );
  const last = db.prepare<[], { id: number | null }>(`SELECT max(id) AS id FROM ledger`);
  const after = db.prepare<[number, number], Raw>(`SELECT * FROM ledger WHERE id > ? ORDER BY id LIMIT ?`);
  return {
    /** 0 while nothing was written. */
    lastId(): number {
      return last.get()?.id ?? 0;
    },
    /** What was written behind a row, in its order. */
    after(id: number, limit: number): LedgerRow[] {
      return after.all(id, limit).map(fromRaw);
    },
    write(subject: string, time: number, kind: string, { network, asset, amount }: Money): void {
      insert.run(subject, time, kind, network, asset, amount.toString());
    },
    /** Of one kind and asset since a moment. */
    totalSince(kind: string, { network, asset }: Asset, from: number): bigint {
      return since.all(kind, network, asset, from).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    },
    of(subject: string): LedgerRow[] {
      return bySubject.all(subject).map(fromRaw);
    },
    page(range: { from: number; to: number; afterId: number; limit: number }): LedgerRow[] {
      return page.all(range.from, range.to, range.afterId, range.limit).map(fromRaw);
    },
  };
}
