import { fromHex, toHex } from '../../../domain/hex.ts';
import type { WorldClock, WorldTime } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { type Block, blockOf, genesis, mineHeader } from './header.ts';

/** The Bitcoin chain as far as a clock needs it, and with it the world's clock. */
export interface BitcoinWorld {
  readonly clock: WorldClock;
  tip(): Block;
  at(height: number): Block | undefined;
  byHash(hash: string): Block | undefined;
  /** Mines blocks stamped now, or later where the consensus rule on block times asks for it. */
  mine(count: number): void;
  /** Moves all clocks: mines max(11, seconds / 600) blocks so that median time past follows to within 10 seconds. */
  advance(seconds: number): void;
}

export interface BitcoinOptions {
  readonly journal: Journal;
  readonly time: WorldTime;
  /** Height of a new chain, at least 11 for a full median. */
  readonly startHeight?: number;
}

const table = 'bitcoin_block';
/** BIP-113 and the rule on block times look at this many blocks. */
const span = 11;
const blockInterval = 600;

interface BlockRow {
  readonly header: string;
  readonly mtp: number;
}

export function createBitcoin({ journal, time, startHeight = 101 }: BitcoinOptions): BitcoinWorld {
  const blocks: Block[] = [genesis];
  const byHash = new Map([[genesis.hash, genesis]]);
  const listeners = new Set<() => void>();

  const saved = journal.rows(table).map(([key, row]) => ({ height: Number(key), row: row as BlockRow }));
  for (const { height, row } of saved.sort((a, b) => a.height - b.height)) {
    append(blockOf(fromHex(row.header), height, row.mtp));
  }
  if (blocks.length === 1) extendTo(time.now(), startHeight);

  function tip(): Block {
    return blocks.at(-1) ?? genesis;
  }

  function append(block: Block): void {
    blocks.push(block);
    byHash.set(block.hash, block);
  }

  function mineAt(wanted: number): void {
    const previous = tip();
    const stamp = Math.max(wanted, previous.mtp + 1);
    const recent = blocks.slice(-(span - 1)).map((block) => block.time);
    const block = mineHeader(previous, stamp, median([...recent, stamp]));
    const row: BlockRow = { header: toHex(block.header), mtp: block.mtp };
    journal.put(table, String(block.height), row);
    append(block);
  }

  /** Spreads `count` blocks evenly up to `end`, the last eleven of them in its last ten seconds. */
  function extendTo(end: number, count: number): void {
    journal.atomically(() => {
      const rest = count - span;
      const interval = blocks.length === 1 ? blockInterval : Math.max(0, (end - 10 - tip().time) / (rest + 1));
      for (let left = rest; left > 0; left--) mineAt(Math.floor(end - 10 - left * interval));
      for (let left = span - 1; left >= 0; left--) mineAt(end - left);
    });
  }

  function tell(): void {
    for (const listener of [...listeners]) listener();
  }

  const clock: WorldClock = {
    now: () => time.now(),
    mtp: () => tip().mtp,
    height: () => tip().height,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

  return {
    clock,
    tip,
    at: (height) => blocks[height],
    byHash: (hash) => byHash.get(hash),
    mine(count) {
      journal.atomically(() => {
        const now = time.now();
        for (let i = 0; i < count; i++) mineAt(now);
      });
      tell();
    },
    advance(seconds) {
      journal.atomically(() => {
        time.advance(seconds);
        extendTo(time.now(), Math.max(span, Math.floor(seconds / blockInterval)));
      });
      tell();
    },
  };
}

function median(times: number[]): number {
  const sorted = times.sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
