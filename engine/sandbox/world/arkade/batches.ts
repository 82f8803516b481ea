import type { Journal } from '../journal.ts';

/** A finished batch, for the indexer. */
export interface BatchRecord {
  readonly commitmentTxid: string;
  readonly roundId: string;
  /** Raw transaction in hex. */
  readonly rawTx: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly expiresAt: number;
  /** The delay of its sweep leaf, and the key of its shared output before the tweak (hex); null without a tree. */
  readonly expiry: number;
  readonly sharedKey: string | null;
  readonly sweptBy: readonly string[];
  readonly tree: readonly TreeRow[];
  readonly leaves: readonly { readonly txid: string; readonly vout: number }[];
  readonly connectors: readonly TreeRow[];
  readonly forfeitTxids: readonly string[];
  readonly totalInputAmount: string;
  readonly totalInputVtxos: number;
  readonly totalOutputAmount: string;
  readonly totalOutputVtxos: number;
}

export interface TreeRow {
  readonly txid: string;
  readonly children: Readonly<Record<string, string>>;
}

export interface BatchBook {
  get(commitmentTxid: string): BatchRecord | undefined;
  all(): BatchRecord[];
  put(record: BatchRecord): void;
}

export function openBatchBook(journal: Journal): BatchBook {
  const records = new Map(journal.rows('arkade.batch').map(([key, row]) => [key, row as BatchRecord]));
  return {
    get: (txid) => records.get(txid),
    all: () => [...records.values()],
    put(record) {
      journal.put('arkade.batch', record.commitmentTxid, record);
      records.set(record.commitmentTxid, record);
    },
  };
}
