import type { Database } from 'better-sqlite3';

export interface LedgerRow {
  readonly id: number;
  readonly subject: string;
  readonly time: number;
  readonly kind: string;
  readonly amountMsat: bigint;
}

interface Raw {
  id: number;
  subject: string;
  time: number;
  kind: string;
  amount_msat: number;
}

function fromRaw(raw: Raw): LedgerRow {
  return { id: raw.id, subject: raw.subject, time: raw.time, kind: raw.kind, amountMsat: BigInt(raw.amount_msat) };
}

/** What the node earned and paid, per swap and kind. */
export function ledgerTable(db: Database) {
  const insert = db.prepare(`INSERT INTO ledger (subject, time, kind, amount_msat) VALUES (?, ?, ?, ?)`);
  const bySubject = db.prepare<[string], Raw>(`SELECT * FROM ledger WHERE subject = ? ORDER BY id`);
  const page = db.prepare<[number, number, number, number], Raw>(
    `SELECT * FROM ledger WHERE time >= ? AND time <= ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const totalSince = db.prepare<[string, number], { total: number | null }>(
    `SELECT sum(amount_msat) AS total FROM ledger WHERE kind = ? AND time > ?`,
  );
  return {
    write(subject: string, time: number, kind: string, amountMsat: bigint): void {
      insert.run(subject, time, kind, amountMsat);
    },
    /** Of one kind since a moment, in millisatoshi as the lines have it. */
    totalSince(kind: string, from: number): bigint {
      return BigInt(totalSince.get(kind, from)?.total ?? 0);
    },
    of(subject: string): LedgerRow[] {
      return bySubject.all(subject).map(fromRaw);
    },
    page(range: { from: number; to: number; afterId: number; limit: number }): LedgerRow[] {
      return page.all(range.from, range.to, range.afterId, range.limit).map(fromRaw);
    },
  };
}
