import { toHex } from '../../../domain/hex.ts';
import type { Sats } from '../../../domain/money.ts';
import { type Txid, outpointKey } from '../../../domain/outpoint.ts';
import type { Coin, Spend } from './ledger.ts';
import { type ScriptIndex, createScriptIndex } from './script-index.ts';
import type { Tx } from './tx.ts';

export interface MempoolEntry {
  readonly tx: Tx;
  readonly fee: Sats;
  /** When it came, unix seconds. */
  readonly time: number;
  /** The coins it spends, input by input. */
  readonly spent: readonly Coin[];
}

/** Transactions that wait for a block. Parents always come before their children. */
export interface Mempool {
  get(txid: Txid): MempoolEntry | undefined;
  all(): readonly MempoolEntry[];
  coin(key: string): Coin | undefined;
  spend(key: string): Spend | undefined;
  readonly history: ScriptIndex;
  add(entry: MempoolEntry): void;
  /** Takes out a transaction; its children stay. */
  remove(txid: Txid): void;
  /** Everything unconfirmed that a transaction builds on, itself left out; it need not be in the pool. */
  ancestors(tx: Tx): MempoolEntry[];
  /** Everything that builds on a transaction of the pool, itself first. */
  descendants(txid: Txid): MempoolEntry[];
}

export function createMempool(): Mempool {
  const entries = new Map<Txid, MempoolEntry>();
  const spends = new Map<string, Spend>();
  const history = createScriptIndex();

  function walk(
    start: readonly MempoolEntry[],
    next: (entry: MempoolEntry) => readonly (MempoolEntry | undefined)[],
  ): MempoolEntry[] {
    const relatives = new Map(start.map((entry) => [entry.tx.txid, entry]));
    for (const entry of relatives.values()) {
      for (const other of next(entry))
        if (other !== undefined && !relatives.has(other.tx.txid)) relatives.set(other.tx.txid, other);
    }
    return [...relatives.values()];
  }

  function parents(tx: Tx): MempoolEntry[] {
    return tx.inputs.flatMap(({ spends: { txid } }) => entries.get(txid) ?? []);
  }

  function children({ tx }: MempoolEntry): (MempoolEntry | undefined)[] {
    return tx.outputs.map((_, vout) => entries.get(spends.get(outpointKey({ txid: tx.txid, vout }))?.txid ?? ''));
  }

  return {
    get: (txid) => entries.get(txid),
    all: () => [...entries.values()],
    coin(key) {
      const [txid = '', vout] = key.split(':');
      const output = entries.get(txid)?.tx.outputs[Number(vout)];
      return output === undefined
        ? undefined
        : {
            outpoint: { txid, vout: Number(vout) },
            amount: output.amount,
            script: output.script,
            height: null,
            coinbase: false,
          };
    },
    spend: (key) => spends.get(key),
    history,
    add(entry) {
      const { txid, inputs, outputs } = entry.tx;
      entries.set(txid, entry);
      for (const [vin, input] of inputs.entries()) spends.set(outpointKey(input.spends), { txid, vin, height: null });
      history.add(
        txid,
        [...outputs, ...entry.spent].map(({ script }) => toHex(script)),
      );
    },
    remove(txid) {
      for (const { spends: point } of entries.get(txid)?.tx.inputs ?? [])
        if (spends.get(outpointKey(point))?.txid === txid) spends.delete(outpointKey(point));
      entries.delete(txid);
      history.remove(txid);
    },
    ancestors: (tx) => walk(parents(tx), (entry) => parents(entry.tx)),
    descendants: (txid) => walk([entries.get(txid) ?? []].flat(), children),
  };
}
