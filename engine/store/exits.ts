import type { Database, Statement } from 'better-sqlite3';
import { sats, type Sats } from '../domain/money.ts';
import type { Unix } from '../domain/time.ts';
import { outpointKey, outpointOf, type Outpoint, type Txid } from '../domain/outpoint.ts';

/** An output, of the chain or of a transaction on the way. */
export interface ExitOutput {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly script: Uint8Array;
}

/** A verified transaction and what it spends. */
export interface ExitTransaction {
  readonly txid: Txid;
  readonly parents: readonly Outpoint[];
  readonly bytes: Uint8Array;
}

/** Everything between the chain and a coin: none of the transactions comes before what it spends. */
export interface SavedExit {
  readonly coin: Outpoint;
  readonly amount: Sats;
  readonly script: Uint8Array;
  readonly roots: readonly ExitOutput[];
  readonly transactions: readonly Uint8Array[];
}

/** All that is saved of the ways to the chain, and the coins at their ends. */
export interface SavedExits {
  readonly coins: readonly (ExitOutput & { readonly expiresAt: Unix })[];
  readonly roots: readonly ExitOutput[];
  /** In no order. */
  readonly transactions: readonly { readonly txid: Txid; readonly bytes: Uint8Array }[];
}

interface RawOutput {
  outpoint: string;
  amount: string;
  script: Uint8Array;
}

interface RawCoin extends RawOutput {
  expires_at: number;
}

interface RawTransaction {
  txid: string;
  parents: string;
  bytes: Uint8Array;
}

function outputOf(raw: RawOutput): ExitOutput {
  return { outpoint: outpointOf(raw.outpoint), amount: sats(BigInt(raw.amount)), script: new Uint8Array(raw.script) };
}

function parentsOf({ parents }: Pick<RawTransaction, 'parents'>): string[] {
  return parents === '' ? [] : parents.split(' ');
}

/** What a way is read by. */
interface Exits {
  readonly transaction: Statement<[string], RawTransaction>;
  readonly root: Statement<[string], RawOutput>;
}

/** How coins of ours leave their operator for the chain. */
export function exitsTable(db: Database) {
  const insertTransaction = db.prepare(
    `INSERT INTO exit_transactions (txid, parents, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const insertRoot = db.prepare(
    `INSERT INTO exit_roots (outpoint, amount, script) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const insertCoin = db.prepare(
    `INSERT INTO exit_coins (outpoint, amount, script, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const transaction = db.prepare<[string], RawTransaction>(`SELECT * FROM exit_transactions WHERE txid = ?`);
  const root = db.prepare<[string], RawOutput>(`SELECT outpoint, amount, script FROM exit_roots WHERE outpoint = ?`);
  const own: Exits = { transaction, root };

  const coin = db.prepare<[string], RawCoin>(`SELECT * FROM exit_coins WHERE outpoint = ?`);
  const coins = db.prepare<[], RawCoin>(`SELECT * FROM exit_coins ORDER BY outpoint`);
  const atScript = db.prepare<[Uint8Array], RawOutput>(
    `SELECT outpoint, amount, script FROM exit_coins WHERE script = ? ORDER BY outpoint`,
  );
  const removeCoin = db.prepare(`DELETE FROM exit_coins WHERE outpoint = ?`);
  const removeTransaction = db.prepare(`DELETE FROM exit_transactions WHERE txid = ?`);
  const removeRoot = db.prepare(`DELETE FROM exit_roots WHERE outpoint = ?`);
  const links = db.prepare<[], Pick<RawTransaction, 'txid' | 'parents'>>(`SELECT txid, parents FROM exit_transactions`);
  const roots = db.prepare<[], RawOutput>(`SELECT outpoint, amount, script FROM exit_roots ORDER BY outpoint`);
  const raws = db.prepare<[], Pick<RawTransaction, 'txid' | 'bytes'>>(
    `SELECT txid, bytes FROM exit_transactions ORDER BY txid`,
  );
  const bare = db.prepare<[number], { amount: string }>(
    'SELECT amount FROM own_coins WHERE unrolled = 0 AND seen_at <= ? AND outpoint NOT IN (SELECT outpoint FROM ' +
      'exit_coins)',
  );
  let revision = 0;

  return {
    transaction(txid: Txid): ExitTransaction | null {
      const row = transaction.get(txid);
      return row === undefined
        ? null
        : { txid, parents: parentsOf(row).map(outpointOf), bytes: new Uint8Array(row.bytes) };
    },
    root(outpoint: Outpoint): ExitOutput | null {
      const row = root.get(outpointKey(outpoint));
      return row === undefined ? null : outputOf(row);
    },
    /** Everything that was verified together; what is there already stays as it is. */
    save(
      { outpoint, amount, script }: ExitOutput,
      way: { readonly transactions: readonly ExitTransaction[]; readonly roots: readonly ExitOutput[] },
      expiresAt: Unix,
    ): void {
      revision += 1;
      for (const { txid, parents, bytes } of way.transactions)
        insertTransaction.run(txid, parents.map(outpointKey).join(' '), bytes);
      for (const one of way.roots) insertRoot.run(outpointKey(one.outpoint), one.amount.toString(), one.script);
      insertCoin.run(outpointKey(outpoint), amount.toString(), script, expiresAt);
    },
    has: (outpoint: Outpoint): boolean => coin.get(outpointKey(outpoint)) !== undefined,
    /** Another number whenever something changed, while this process lives. */
    revision: (): number => revision,
    all: (): SavedExits => ({
      coins: coins.all().map((raw) => ({ ...outputOf(raw), expiresAt: raw.expires_at as Unix })),
      roots: roots.all().map(outputOf),
      transactions: raws.all().map(({ txid, bytes }) => ({ txid, bytes: new Uint8Array(bytes) })),
    }),
    /** What coins of the wallet hold that were first seen by then, and of whose way nothing is saved. */
    unsavedOwn: (seenBy: number): Sats => sats(bare.all(seenBy).reduce((sum, { amount }) => sum + BigInt(amount), 0n)),
    coins: (): ExitOutput[] => coins.all().map(outputOf),
    at: (script: Uint8Array): ExitOutput[] => atScript.all(script).map(outputOf),
    /** When the operator may take its batch; null where nothing is saved of it. */
    expiresAt(outpoint: Outpoint): Unix | null {
      return (coin.get(outpointKey(outpoint))?.expires_at as Unix | undefined) ?? null;
    },
    /** Null where nothing, or not all of it, is saved. */
    path(outpoint: Outpoint): SavedExit | null {
      const row = coin.get(outpointKey(outpoint));
      return row === undefined ? null : pathOf(own, outputOf(row));
    },
    forget(outpoint: Outpoint): void {
      revision += 1;
      removeCoin.run(outpointKey(outpoint));
    },
    /** Drops what no coin hangs on any more. */
    prune(): void {
      const parents = new Map(links.all().map((row) => [row.txid, parentsOf(row)]));
      const needed = new Set<string>();
      const open = coins.all().map(({ outpoint }) => outpoint.slice(0, 64));
      for (let txid = open.pop(); txid !== undefined; txid = open.pop()) {
        if (needed.has(txid)) continue;
        needed.add(txid);
        for (const key of parents.get(txid) ?? []) {
          needed.add(key);
          open.push(key.slice(0, 64));
        }
      }
      for (const txid of parents.keys()) if (!needed.has(txid)) removeTransaction.run(txid);
      for (const { outpoint } of roots.all()) if (!needed.has(outpoint)) removeRoot.run(outpoint);
    },
  };
}

function pathOf({ transaction, root }: Exits, { outpoint, amount, script }: ExitOutput): SavedExit | null {
  const order = new Map<Txid, Uint8Array>();
  const rootKeys = new Set<string>();
  const open: { row: RawTransaction; parents: string[] }[] = [];
  const begun = new Set<Txid>();
  const begin = (txid: Txid): boolean => {
    const row = transaction.get(txid);
    if (row === undefined) return false;
    begun.add(txid);
    open.push({ row, parents: parentsOf(row) });
    return true;
  };
  if (!begin(outpoint.txid)) return null;
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const parent = last.parents.pop();
    if (parent === undefined) {
      order.set(last.row.txid, new Uint8Array(last.row.bytes));
      open.pop();
    } else if (!begun.has(parent.slice(0, 64)) && !begin(parent.slice(0, 64))) rootKeys.add(parent);
  }
  const ends = [...rootKeys].map((key) => root.get(key));
  if (ends.includes(undefined)) return null;
  return {
    coin: outpoint,
    amount,
    script,
    roots: (ends as RawOutput[]).map(outputOf),
    transactions: [...order.values()],
  };
}
