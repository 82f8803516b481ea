import type { Journal } from '../journal.ts';

/**
 * A transaction that the operator has accepted. `failed` ones were finalized wrongly: they strand their coins for good.
 */
export interface ArkTx {
  readonly txid: string;
  readonly state: 'accepted' | 'final' | 'failed';
  /** PSBT with the operator's signatures, base64. */
  readonly arkTx: string;
  /** By txid, with the operator's signature only; the final ones once final. */
  readonly checkpoints: readonly AcceptedCheckpoint[];
  /** All outputs in order; script in hex, amount in decimal. */
  readonly outputs: readonly { readonly script: string; readonly amount: string }[];
  readonly acceptedAt: number;
}

export interface AcceptedCheckpoint {
  readonly txid: string;
  readonly psbt: string;
  /** The outpoint of its coin. */
  readonly spends: string;
  /** The leaf that spends it and the operator's signature over it, hex. */
  readonly leaf: string;
  readonly signature: string;
}

export interface TxBook {
  get(txid: string): ArkTx | undefined;
  put(tx: ArkTx): void;
  /** Virtual transactions by id: ark, checkpoint, tree, forfeit and connector ones. */
  virtual(txid: string): string | undefined;
  putVirtual(txid: string, psbt: string): void;
}

export function openTxBook(journal: Journal): TxBook {
  const txs = new Map(journal.rows('arkade.tx').map(([key, row]) => [key, row as ArkTx]));
  const virtual = new Map(journal.rows('arkade.virtual').map(([key, row]) => [key, row as string]));
  for (const tx of txs.values()) index(tx);

  function index(tx: ArkTx): void {
    txs.set(tx.txid, tx);
    virtual.set(tx.txid, tx.arkTx);
    if (tx.state === 'final') for (const checkpoint of tx.checkpoints) virtual.set(checkpoint.txid, checkpoint.psbt);
  }
  return {
    get: (txid) => txs.get(txid),
    put(tx) {
      journal.put('arkade.tx', tx.txid, tx);
      index(tx);
    },
    virtual: (txid) => virtual.get(txid),
    putVirtual(txid, psbt) {
      journal.put('arkade.virtual', txid, psbt);
      virtual.set(txid, psbt);
    },
  };
}
