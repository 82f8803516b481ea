import type { Hex } from 'viem';
import type { Journal } from '../journal.ts';

/** A call that changes anvil without being a transaction. */
export type Intervention = readonly [method: string, ...params: readonly unknown[]];

/** All that a block was made of: the same calls make the same block again, to the hash. */
export interface BlockRow {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: number;
  /** Wei. */
  readonly baseFee: Hex;
  readonly before: readonly Intervention[];
  /** Signed bytes, in the order in which they are in the block. */
  readonly transactions: readonly Hex[];
  readonly after: readonly Intervention[];
}

/** A whole chain up to a block, as anvil dumps it. */
export interface Checkpoint {
  readonly number: number;
  readonly state: Hex;
}

/** What survives of a chain: a checkpoint, the blocks after it, and the transactions that wait. */
export interface ChainRecord {
  setting(name: string): unknown;
  set(name: string, value: unknown): void;
  checkpoint(): Checkpoint | null;
  /** Those that the checkpoint does not have, in order. */
  blocks(): readonly BlockRow[];
  waiting(): readonly Hex[];
  wait(raw: Hex): void;
  forget(raw: Hex): void;
  /** Writes new blocks down in place of those from the same height on; what they contain waits no more. */
  extend(rows: readonly BlockRow[]): void;
  /** The same after a reorganisation, with all that waits from then on. */
  replace(rows: readonly BlockRow[], waiting: readonly Hex[]): void;
  /**
   * Keeps the checkpoint beside the one before until it is `depth` blocks deep: a reorganisation needs the blocks
   * between.
   */
  keep(checkpoint: Checkpoint, depth: number): void;
}

export function openChainRecord(journal: Journal, chainId: number): ChainRecord {
  const table = `evm_${chainId}`;
  const [settings, blockTable, waitingTable, checkpointTable] = [
    table,
    `${table}_blocks`,
    `${table}_waiting`,
    `${table}_checkpoints`,
  ];
  const values = new Map(journal.rows(settings));
  const blocks = new Map(journal.rows(blockTable).map(([, row]) => [(row as BlockRow).number, row as BlockRow]));
  const waiting = new Map(journal.rows(waitingTable).map(([key, raw]) => [raw as Hex, key]));
  let sequence = Math.max(0, ...[...waiting.values()].map(Number));
  let checkpoints = journal.rows(checkpointTable).map(([key]) => Number(key));

  function removeBlocks(doomed: (number: number) => boolean): void {
    for (const number of [...blocks.keys()].filter(doomed)) {
      journal.remove(blockTable, keyOf(number));
      blocks.delete(number);
    }
  }

  function removeCheckpoints(doomed: (number: number) => boolean): void {
    for (const number of checkpoints.filter(doomed)) journal.remove(checkpointTable, keyOf(number));
    checkpoints = checkpoints.filter((number) => !doomed(number));
  }

  function forget(raw: Hex): void {
    const key = waiting.get(raw);
    if (key !== undefined) journal.remove(waitingTable, key);
    waiting.delete(raw);
  }

  function wait(raw: Hex): void {
    if (waiting.has(raw)) return;
    sequence += 1;
    journal.put(waitingTable, keyOf(sequence), raw);
    waiting.set(raw, keyOf(sequence));
  }

  function extend(rows: readonly BlockRow[]): void {
    const first = rows[0]?.number ?? Infinity;
    journal.atomically(() => {
      removeBlocks((number) => number >= first);
      removeCheckpoints((number) => number >= first);
      for (const row of rows) {
        journal.put(blockTable, keyOf(row.number), row);
        blocks.set(row.number, row);
        for (const raw of row.transactions) forget(raw);
      }
    });
  }

  return {
    setting: (name) => values.get(name),
    set(name, value) {
      journal.put(settings, name, value);
      values.set(name, value);
    },
    checkpoint() {
      // Where the blocks of before are still here, the chain begins before it.
      const number = checkpoints.find((one) => !blocks.has(one));
      if (number === undefined) return null;
      const state = new Map(journal.rows(checkpointTable)).get(keyOf(number));
      return { number, state: `0x${Buffer.from(state as string, 'base64').toString('hex')}` };
    },
    blocks: () => [...blocks.values()],
    waiting: () => [...waiting.keys()],
    wait,
    forget,
    extend,
    replace(rows, next) {
      journal.atomically(() => {
        extend(rows);
        for (const raw of [...waiting.keys()]) forget(raw);
        for (const raw of next) wait(raw);
      });
    },
    keep({ number, state }, depth) {
      journal.atomically(() => {
        journal.put(checkpointTable, keyOf(number), Buffer.from(state.slice(2), 'hex').toString('base64'));
        checkpoints.push(number);
        const oldest = checkpoints.findLast((one) => one <= number - depth) ?? 0;
        removeCheckpoints((one) => one < oldest);
        removeBlocks((one) => one <= oldest);
      });
    },
  };
}

/** Keys are sorted as text. */
function keyOf(number: number): string {
  return String(number).padStart(12, '0');
}
