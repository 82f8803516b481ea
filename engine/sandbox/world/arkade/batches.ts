import type { Journal } from '../journal.ts';

/** A finished batch, for the indexer. */
export interface BatchRecord {
  readonly commitmentTxid: string;
  /** Raw transaction in hex. */
  readonly rawTx: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly expiresAt: number;
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
  put(record: BatchRecord): void;
}

export function openBatchBook(journal: Journal): BatchBook {
  const records = new Map(journal.rows('arkade.batch').map(([key, row]) => [key, row as BatchRecord]));
  return {
    get: (txid) => records.get(txid),
    put(record) {
      journal.put('arkade.batch', record.commitmentTxid, record);
      records.set(record.commitmentTxid, record);
    },
  };
}
