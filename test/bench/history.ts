import Database from 'better-sqlite3';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';

type Row = Record<string, unknown>;

/**
 * Multiplies a finished swap with all that the store keeps of it, by the store's own tables: new ids, hashes and
 * transactions, the rest as it is.
 */
export function growHistory(dataDir: string, count: number): void {
  const db = new Database(join(dataDir, 'sluice.db'));
  db.pragma('synchronous = OFF');
  const finished = db
    .prepare<[], Row & { id: string }>(`SELECT * FROM swaps WHERE open = 0 AND status = 'serverredeemed' LIMIT 2`)
    .all();
  if (finished.length === 0) throw new Error('no swap has finished yet: there is no history to grow');
  const linked = (table: string, column: string, id: string) =>
    db.prepare<[string], Row>(`SELECT * FROM ${table} WHERE ${column} = ?`).all(id);
  function inserter(table: string, row: Row): (values: Row) => void {
    const names = Object.keys(row);
    const statement = db.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
    );
    return (values) => void statement.run(values);
  }
  const templates = finished.map((swap) => ({
    swap,
    hashes: linked('hashes', 'swap_id', swap.id),
    journal: linked('journal', 'subject', swap.id).map(({ id: _, ...row }) => row),
    ledger: linked('ledger', 'subject', swap.id).map(({ id: _, ...row }) => row),
    transactions: linked('transactions', 'subject', swap.id),
  }));
  const put = new Map<string, (values: Row) => void>();
  function insert(table: string, values: Row): void {
    const insertRow = put.get(table) ?? inserter(table, values);
    put.set(table, insertRow);
    insertRow(values);
  }
  db.transaction(() => {
    for (let i = 0; i < count; i++) {
      const template = templates[i % templates.length];
      if (template === undefined) throw new Error('unreachable');
      const id = randomUUID();
      insert('swaps', { ...template.swap, id, created_at: Number(template.swap['created_at']) - i });
      for (const row of template.hashes) insert('hashes', { ...row, hash160: randomBytes(20), swap_id: id });
      for (const row of template.journal) insert('journal', { ...row, subject: id });
      for (const row of template.ledger) insert('ledger', { ...row, subject: id });
      for (const row of template.transactions)
        insert('transactions', { ...row, txid: randomBytes(32).toString('hex'), subject: id });
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
