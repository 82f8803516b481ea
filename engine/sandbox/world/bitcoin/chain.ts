import { fromHex, toHex } from '../../../domain/hex.ts';
import type { Sats } from '../../../domain/money.ts';
import { type Outpoint, type Txid, outpointKey } from '../../../domain/outpoint.ts';
import type { WorldClock, WorldTime } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { type Block, genesis } from './block.ts';
import { createFaucet, minerScript } from './faucet.ts';
import { headerOf } from './header.ts';
import { type Coin, type Spend, createLedger } from './ledger.ts';
import { createPool } from './pool.ts';
import { reject } from './rejection.ts';
import { type Tx, parseTx } from './tx.ts';
import { type Admission, type PackageResult } from './acceptance.ts';
import type { MempoolEntry } from './mempool.ts';
import {
  tables,
  span,
  blockInterval,
  type BlockRow,
  type Chain,
  reorg,
  tip,
  append,
  mineAt,
  extendTo,
  tell,
} from './chain-blocks.ts';

/** The Bitcoin chain with its mempool, and with it the world's clock. */
export interface BitcoinWorld {
  readonly clock: WorldClock;
  tip(): Block;
  at(height: number): Block | undefined;
  /** Also a block that a reorg took off the best chain. */
  byHash(hash: string): Block | undefined;
  /** Mines blocks stamped now, or later where the consensus rule on block times asks for it. */
  mine(count: number, payee?: Uint8Array): void;
  /** Moves all clocks: mines max(11, seconds / 600) blocks so that median time past follows to within 10 seconds. */
  advance(seconds: number): void;
  /**
   * Replaces the newest blocks by as many empty ones. Their transactions return to the mempool as far as the new chain
   * lets them, those of `drop` do not.
   */
  reorg(depth: number, drop?: readonly Txid[]): void;

  /** Of the best chain or, with the height null, of the mempool. */
  transaction(txid: Txid): { readonly tx: Tx; readonly height: number | null } | undefined;
  /** An output that no transaction spends, those of the mempool included. */
  coin(outpoint: Outpoint): Coin | undefined;
  /** An output that no block spends. */
  confirmedCoin(outpoint: Outpoint): Coin | undefined;
  /** What spends an output, in a block or in the mempool. */
  spend(outpoint: Outpoint): Spend | undefined;
  coinsOf(script: Uint8Array): Coin[];
  confirmedCoinsOf(script: Uint8Array): Coin[];
  /** Transactions that touch a script, oldest first, apart by whether a block has them. */
  history(script: Uint8Array): { readonly confirmed: readonly Txid[]; readonly waiting: readonly Txid[] };
  /** The script whose SHA-256 is this (hex text), if any transaction touches it. */
  scriptNamed(hash: string): Uint8Array | undefined;
  mempool(): readonly MempoolEntry[];
  waiting(txid: Txid): MempoolEntry | undefined;
  /** Whether the next block would take anything of what waits: what pays too little, it does not. */
  nextBlockTakes(): boolean;

  /** Enters the mempool or is there already; throws a `TxRejected`. */
  submit(bytes: Uint8Array): Tx;
  judge(tx: Tx): Admission;
  submitPackage(transactions: readonly Uint8Array[]): PackageResult;
  /** Puts transactions into the next block unchecked, those that a block has already left out. */
  include(transactions: readonly Uint8Array[]): void;
  /** Pays out of nothing, unconfirmed; null while the faucet has no coin that is large and old enough. */
  faucet(script: Uint8Array, amount: Sats): Outpoint | null;
  /** Satoshis per virtual byte that miners ask for now. */
  feeRate(): number;
  setFeeRate(satPerVb: number): void;
  /**
   * A transaction leaves the mempool, as if dropped or replaced, and what builds on it does; false where it is not
   * there.
   */
  evict(txid: Txid): boolean;
  /** What a full mempool asks for in satoshis per virtual byte; raised, it drops what pays less. */
  mempoolMinimum(): number;
  setMempoolMinimum(satPerVb: number): void;
  /** A node whose own policy takes nothing: all that it is sent is refused with this reason, until null. */
  refuseAll(reason: string | null): void;
}

export interface BitcoinOptions {
  readonly journal: Journal;
  readonly time: WorldTime;
  /** Height of a new chain, at least 11 for a full median; the faucet's money is old enough from 100 on. */
  readonly startHeight?: number;
}

export function createBitcoin({ journal, time, startHeight = 101 }: BitcoinOptions): BitcoinWorld {
  const ledger = createLedger();
  const blocks: Block[] = [];
  const byHash = new Map<string, Block>();
  const listeners = new Set<() => void>();

  append({ blocks, byHash, ledger }, genesis);
  const stale = journal.rows(tables.stale).map(([, row]) => blockOf(row as BlockRow));
  for (const block of stale) byHash.set(block.hash, block);

  const saved = journal.rows(tables.blocks).map(([, row]) => row as BlockRow);
  for (const row of saved.sort((a, b) => a.height - b.height)) append({ blocks, byHash, ledger }, blockOf(row));

  const pool = createPool({
    journal,
    ledger,
    time: {
      get height() {
        return tip({ blocks }).height;
      },
      get mtp() {
        return tip({ blocks }).mtp;
      },
      mtpAt: (height) => blocks[height]?.mtp ?? 0,
    },
    now: () => time.now(),
  });
  const { mempool } = pool;
  const own: Chain = { journal, ledger, blocks, byHash, listeners, branch: stale.length, pool, mempool };

  let refusing: string | null = null;
  const faucet = createFaucet({ ledger, mempool });
  if (blocks.length === 1) extendTo(own, time.now(), startHeight);

  const clock: WorldClock = {
    now: () => time.now(),
    mtp: () => tip(own).mtp,
    height: () => tip(own).height,
    tipTime: () => tip(own).time,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

  return {
    clock,
    tip: () => tip(own),
    at: (height) => blocks[height],
    byHash: (hash) => byHash.get(hash),
    mine(count, payee = minerScript) {
      journal.atomically(() => {
        const now = time.now();
        for (let i = 0; i < count; i++) mineAt(own, now, payee);
      });
      tell(own);
    },
    advance(seconds) {
      journal.atomically(() => {
        time.advance(seconds);
        extendTo(own, time.now(), Math.max(span, Math.floor(seconds / blockInterval)));
      });
      tell(own);
    },
    reorg: (depth, drop = []) => reorg(own, time, depth, drop),

    transaction: (txid) => ledger.transaction(txid) ?? inMempool(own, txid),
    coin: (outpoint: Outpoint) => coin(own, outpoint),
    confirmedCoin: (outpoint) => ledger.coin(outpointKey(outpoint)),
    spend: (outpoint) => ledger.spend(outpointKey(outpoint)) ?? mempool.spend(outpointKey(outpoint)),
    coinsOf: (script) => outputsTo(own, script).flatMap((outpoint) => coin(own, outpoint) ?? []),
    confirmedCoinsOf: (script) =>
      outputsTo(own, script).flatMap((outpoint) => ledger.coin(outpointKey(outpoint)) ?? []),
    history: (script) => ({ confirmed: ledger.history.of(toHex(script)), waiting: mempool.history.of(toHex(script)) }),
    scriptNamed(hash) {
      const script = ledger.history.named(hash) ?? mempool.history.named(hash);
      return script === undefined ? undefined : fromHex(script);
    },
    mempool: () => mempool.all(),
    waiting: (txid) => mempool.get(txid),
    nextBlockTakes: () => pool.forBlock().transactions.length > 0,

    submit(bytes) {
      if (refusing !== null) reject(refusing);
      return pool.submit(bytes);
    },
    judge: (tx) => pool.judge(tx),
    submitPackage: (transactions) => pool.submitPackage(transactions),
    include: (transactions) => pool.include(transactions),
    faucet(script, amount) {
      const bytes = faucet.pay(script, amount, pool.feeRate());
      return bytes === null ? null : { txid: pool.submit(bytes).txid, vout: 0 };
    },
    feeRate: () => pool.feeRate(),
    setFeeRate: (satPerVb) => pool.setFeeRate(satPerVb),
    evict: (txid) => pool.evict(txid),
    mempoolMinimum: () => pool.minimum(),
    setMempoolMinimum: (satPerVb) => pool.setMinimum(satPerVb),
    refuseAll(reason) {
      refusing = reason;
    },
  };
}

function coin({ ledger, mempool }: Chain, outpoint: Outpoint): Coin | undefined {
  const key = outpointKey(outpoint);
  return mempool.spend(key) === undefined ? (ledger.coin(key) ?? mempool.coin(key)) : undefined;
}

function outputsTo({ ledger, mempool }: Chain, script: Uint8Array): Outpoint[] {
  const wanted = toHex(script);
  return [...ledger.history.of(wanted), ...mempool.history.of(wanted)].flatMap((txid) => {
    const tx = ledger.transaction(txid)?.tx ?? mempool.get(txid)?.tx;
    return (tx?.outputs ?? []).flatMap((output, vout) => (toHex(output.script) === wanted ? [{ txid, vout }] : []));
  });
}

function inMempool({ mempool }: Chain, txid: Txid): { tx: Tx; height: null } | undefined {
  const entry = mempool.get(txid);
  return entry === undefined ? undefined : { tx: entry.tx, height: null };
}

function blockOf({ header, height, mtp, transactions }: BlockRow): Block {
  // Blocks once were headers alone.
  if (transactions === undefined)
    throw new Error(
      'The sandbox networks of this data folder were made by an earlier version: remove the folder "sandbox" in ' +
        'it, and new ones are made.',
    );
  return {
    ...headerOf(fromHex(header), height, mtp),
    transactions: transactions.map((text) => parseTx(fromHex(text))),
  };
}
