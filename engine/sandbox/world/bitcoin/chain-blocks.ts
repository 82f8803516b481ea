import { toHex } from '../../../domain/hex.ts';
import { noSats } from '../../../domain/money.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import type { Journal } from '../journal.ts';
import type { WorldTime } from '../clock.ts';
import { type Block, genesis, mineBlock } from './block.ts';
import { minerScript, treasuryScript } from './faucet.ts';
import { type createLedger } from './ledger.ts';
import { type createPool } from './pool.ts';
import { isCoinbase } from './tx.ts';

export const tables = { blocks: 'bitcoin_block', stale: 'bitcoin_stale' } as const;

/** BIP-113 and the rule on block times look at this many blocks. */
export const span = 11;

export const blockInterval = 600;

export interface BlockRow {
  readonly header: string;
  readonly height: number;
  readonly mtp: number;
  readonly transactions?: readonly string[];
}

/** Of what the chain is made. */
export interface Chain {
  readonly journal: Journal;
  readonly ledger: ReturnType<typeof createLedger>;
  readonly blocks: Block[];
  readonly byHash: Map<string, Block>;
  readonly listeners: Set<() => void>;
  /** How many blocks were lost to reorgs: it tells the others apart from them. */
  branch: number;
  readonly pool: ReturnType<typeof createPool>;
  readonly mempool: ReturnType<typeof createPool>['mempool'];
}

export function reorg(own: Chain, time: WorldTime, depth: number, drop: readonly Txid[]): void {
  const { journal, ledger, blocks, pool } = own;
  if (depth < 1 || depth >= tip(own).height)
    throw new RangeError(
      `A reorg replaces 1 to ${tip(own).height - 1} blocks, not ${depth}: the first block with the faucet's ` +
        'money stays.',
    );
  journal.atomically(() => {
    const lost = blocks.splice(-depth);
    for (const block of lost.toReversed()) {
      ledger.disconnect(block);
      journal.put(tables.stale, block.hash, rowOf(block));
    }
    own.branch += lost.length;
    const now = time.now();
    for (const _ of lost) mineAt(own, now, minerScript, nothing);
    const back = lost.flatMap((block) => block.transactions).filter((tx) => !isCoinbase(tx));
    pool.giveBack(back, new Set(drop));
  });
  tell(own);
}

export function tip({ blocks }: Pick<Chain, 'blocks'>): Block {
  return blocks.at(-1) ?? genesis;
}

export function append({ ledger, blocks, byHash }: Pick<Chain, 'blocks' | 'byHash' | 'ledger'>, block: Block): void {
  blocks.push(block);
  byHash.set(block.hash, block);
  ledger.connect(block);
}

export function mineAt(own: Chain, wanted: number, payee: Uint8Array, content = own.pool.forBlock()): void {
  const { journal, blocks, pool } = own;
  const previous = tip(own);
  const stamp = Math.max(wanted, previous.mtp + 1);
  const recent = blocks.slice(-(span - 1)).map((block) => block.time);
  const block = mineBlock(previous, {
    time: stamp,
    mtp: median([...recent, stamp]),
    payee: previous.height === 0 ? treasuryScript : payee,
    branch: own.branch,
    ...content,
  });
  journal.put(tables.blocks, String(block.height), rowOf(block));
  append(own, block);
  pool.connected(block);
}

/** Spreads `count` blocks evenly up to `end`, the last eleven of them in its last ten seconds. */
export function extendTo(own: Chain, end: number, count: number): void {
  const { journal, blocks } = own;
  journal.atomically(() => {
    const rest = count - span;
    const interval = blocks.length === 1 ? blockInterval : Math.max(0, (end - 10 - tip(own).time) / (rest + 1));
    for (let left = rest; left > 0; left--) mineAt(own, Math.floor(end - 10 - left * interval), minerScript);
    for (let left = span - 1; left >= 0; left--) mineAt(own, end - left, minerScript);
  });
}

export function tell({ listeners }: Chain): void {
  for (const listener of [...listeners]) listener();
}

const nothing = { transactions: [], fees: noSats };

function rowOf(block: Block): BlockRow {
  return {
    header: toHex(block.header),
    height: block.height,
    mtp: block.mtp,
    transactions: block.transactions.map(({ bytes }) => toHex(bytes)),
  };
}

function median(times: number[]): number {
  const sorted = times.sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
