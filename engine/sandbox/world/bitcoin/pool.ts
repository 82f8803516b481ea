import { fromHex, toHex } from '../../../domain/hex.ts';
import { type Sats, sats } from '../../../domain/money.ts';
import { type Txid, outpointKey } from '../../../domain/outpoint.ts';
import type { Journal } from '../journal.ts';
import { type Acceptance, type Admission, type PackageResult, createAcceptance, readTx } from './acceptance.ts';
import type { Block } from './block.ts';
import type { ChainTime } from './consensus.ts';
import type { Ledger } from './ledger.ts';
import { type Mempool, type MempoolEntry, createMempool } from './mempool.ts';
import { relayFloor } from './policy.ts';
import { TxRejected } from './rejection.ts';
import type { Tx, TxInput } from './tx.ts';

/** What waits for a block, kept in the journal: the mempool, and transactions that a block takes without asking. */
export interface Pool {
  readonly mempool: Mempool;
  /** Throws a `TxRejected`; what is in the mempool already is accepted again. */
  submit(bytes: Uint8Array): Tx;
  /** What `submit` would say, without doing it. */
  judge(tx: Tx): Admission;
  submitPackage(transactions: readonly Uint8Array[]): PackageResult;
  include(transactions: readonly Uint8Array[]): void;
  /** What the next block takes. Transactions that pay less than the fee rate wait. */
  forBlock(): { transactions: readonly Tx[]; fees: Sats };
  /** Clears what a block took and what it made impossible. */
  connected(block: Block): void;
  /** Puts transactions of lost blocks back, oldest first, and judges all that wait anew. */
  giveBack(transactions: readonly Tx[], drop: ReadonlySet<Txid>): void;
  /** Takes a transaction out, and what builds on it; false where it does not wait here. */
  evict(txid: Txid): boolean;
  /** What a full mempool asks for; what pays less, its children counted, leaves it. */
  minimum(): number;
  setMinimum(satPerVb: number): void;
  feeRate(): number;
  setFeeRate(satPerVb: number): void;
}

const tables = { mempool: 'bitcoin_mempool', included: 'bitcoin_included', fees: 'bitcoin_fees' } as const;
const largestBlockWeight = 3_990_000;

interface PoolRow {
  readonly order: number;
  readonly bytes: string;
  readonly time: number;
}

/** What waits, and in which order it came. */
interface Pooling {
  readonly journal: Journal;
  readonly now: () => number;
  readonly mempool: ReturnType<typeof createMempool>;
  order: number;
}

export function createPool({
  journal,
  ledger,
  time,
  now,
}: {
  journal: Journal;
  ledger: Ledger;
  time: ChainTime;
  now: () => number;
}): Pool {
  const mempool = createMempool();
  const pooling: Pooling = { journal, now, mempool, order: 0 };

  const acceptance: Acceptance = createAcceptance({ ledger, mempool, time, now, minimum: () => minimum });
  let minimum = relayFloor;
  /** Everything ever included; those that no block of the best chain has are pending. */
  const included = new Map<Txid, Tx>();
  const pending = new Map<Txid, Tx>();

  let satPerVb = (new Map(journal.rows(tables.fees)).get('sat_per_vb') as number | undefined) ?? relayFloor;

  for (const row of rowsOf(pooling, tables.included)) {
    const tx = readTx(fromHex(row.bytes));
    included.set(tx.txid, tx);
    if (ledger.transaction(tx.txid) === undefined) pending.set(tx.txid, tx);
  }
  for (const row of rowsOf(pooling, tables.mempool))
    mempool.add({ ...acceptance.judgeReturned(readTx(fromHex(row.bytes))).entry, time: row.time });

  return {
    mempool,
    judge: (tx) => acceptance.judge(tx),
    submit(bytes) {
      const tx = readTx(bytes);
      if (mempool.get(tx.txid) === undefined) journal.atomically(() => enter(pooling, acceptance.judge(tx)));
      return tx;
    },
    submitPackage: (transactions) =>
      journal.atomically(() => acceptance.enterPackage(transactions.map(readTx), (one) => enter(pooling, one))),
    include(transactions) {
      journal.atomically(() => {
        for (const tx of transactions.map(readTx)) {
          if (ledger.transaction(tx.txid) !== undefined || pending.has(tx.txid)) continue;
          included.set(tx.txid, tx);
          pending.set(tx.txid, tx);
          keep(pooling, tables.included, tx);
        }
      });
    },
    forBlock: () => blockFrom({ mempool, ledger, pending, satPerVb }),
    connected({ transactions }) {
      for (const tx of transactions) {
        pending.delete(tx.txid);
        const own = mempool.get(tx.txid);
        if (own !== undefined) leave(pooling, [own]);
        for (const { spends } of tx.inputs) {
          const ousted = mempool.spend(outpointKey(spends));
          if (ousted !== undefined) leave(pooling, mempool.descendants(ousted.txid));
        }
      }
    },
    giveBack(transactions, drop) {
      const waiting = mempool.all();
      leave(pooling, waiting);
      for (const tx of [...transactions, ...waiting.map((entry) => entry.tx)]) {
        if (drop.has(tx.txid)) {
          included.delete(tx.txid);
          pending.delete(tx.txid);
          journal.remove(tables.included, tx.txid);
        } else if (included.has(tx.txid)) {
          pending.set(tx.txid, tx);
        } else {
          try {
            enter(pooling, acceptance.judgeReturned(tx));
          } catch (error) {
            // What the new chain forbids is gone, as it is from a node's mempool.
            if (!(error instanceof TxRejected)) throw error;
          }
        }
      }
    },
    evict(txid) {
      const family = mempool.descendants(txid);
      journal.atomically(() => leave(pooling, family));
      return family.length > 0;
    },
    minimum: () => minimum,
    setMinimum(rate) {
      minimum = rate;
      journal.atomically(() => {
        for (const { tx } of mempool.all()) {
          const family = mempool.descendants(tx.txid);
          const [own] = family;
          const best = Math.max(rateOf(own === undefined ? [] : [own]), rateOf(family));
          if (best < minimum) leave(pooling, family);
        }
      });
    },
    feeRate: () => satPerVb,
    setFeeRate(rate) {
      satPerVb = rate;
      journal.put(tables.fees, 'sat_per_vb', rate);
    },
  };
}

/** What pays enough for the next block, with what it builds on. */
function blockFrom({
  mempool,
  ledger,
  pending,
  satPerVb,
}: Pick<Pooling, 'mempool'> & {
  readonly ledger: Ledger;
  readonly pending: ReadonlyMap<Txid, Tx>;
  readonly satPerVb: number;
}): ReturnType<Pool['forBlock']> {
  const chosen = new Map<Txid, Tx>();
  const taken = new Set<string>();
  let [weight, fees] = [0, 0n];
  function choose(tx: Tx, fee: bigint): void {
    chosen.set(tx.txid, tx);
    for (const { spends } of tx.inputs) taken.add(outpointKey(spends));
    weight += tx.weight;
    fees += fee;
  }

  function parentsOf(tx: Tx): MempoolEntry[] {
    return mempool.ancestors(tx).filter((entry) => !chosen.has(entry.tx.txid));
  }
  function isSpent({ spends }: TxInput): boolean {
    return taken.has(outpointKey(spends)) || ledger.spend(outpointKey(spends)) !== undefined;
  }

  for (const tx of pending.values()) {
    const parents = parentsOf(tx);
    // What was spent meanwhile cannot be spent again, not even unchecked.
    if ([tx, ...parents.map((entry) => entry.tx)].some(({ inputs }) => inputs.some(isSpent))) continue;
    for (const parent of parents) choose(parent.tx, parent.fee);
    choose(tx, 0n);
  }
  for (const entry of mempool.all()) {
    if (chosen.has(entry.tx.txid)) continue;
    const family = [...parentsOf(entry.tx), entry];
    const [fee, vsize, more] = [
      sum(family, (member) => Number(member.fee)),
      sum(family, ({ tx }) => tx.vsize),
      sum(family, ({ tx }) => tx.weight),
    ];
    if (
      fee < vsize * satPerVb ||
      weight + more > largestBlockWeight ||
      family.some(({ tx }) => tx.inputs.some(isSpent))
    )
      continue;
    for (const member of family) choose(member.tx, member.fee);
  }
  return { transactions: parentsFirst(chosen), fees: sats(fees) };
}

function rowsOf(pooling: Pooling, table: string): PoolRow[] {
  const { journal } = pooling;
  const rows = journal
    .rows(table)
    .map(([, row]) => row as PoolRow)
    .sort((a, b) => a.order - b.order);
  pooling.order = Math.max(pooling.order, ...rows.map((row) => row.order + 1));
  return rows;
}

function keep(pooling: Pooling, table: string, tx: Tx): void {
  const { journal, now } = pooling;
  const row: PoolRow = { order: pooling.order++, bytes: toHex(tx.bytes), time: now() };
  journal.put(table, tx.txid, row);
}

function leave({ journal, mempool }: Pooling, entries: readonly MempoolEntry[]): void {
  for (const { tx } of entries) {
    mempool.remove(tx.txid);
    journal.remove(tables.mempool, tx.txid);
  }
}

function enter(pooling: Pooling, { entry, evicted }: Admission): void {
  const { mempool } = pooling;
  leave(pooling, evicted);
  mempool.add(entry);
  keep(pooling, tables.mempool, entry.tx);
}

function parentsFirst(transactions: ReadonlyMap<Txid, Tx>): Tx[] {
  const placed = new Map<Txid, Tx>();
  function place(tx: Tx): void {
    if (placed.has(tx.txid)) return;
    for (const { spends } of tx.inputs) {
      const parent = transactions.get(spends.txid);
      if (parent !== undefined) place(parent);
    }
    placed.set(tx.txid, tx);
  }
  for (const tx of transactions.values()) place(tx);
  return [...placed.values()];
}

function rateOf(family: readonly MempoolEntry[]): number {
  return (
    sum(family, ({ fee }) => Number(fee)) /
    Math.max(
      1,
      sum(family, ({ tx }) => tx.vsize),
    )
  );
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
