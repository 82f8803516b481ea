import { toHex } from '../../../domain/hex.ts';
import type { Sats } from '../../../domain/money.ts';
import { type Outpoint, type Txid, outpointKey } from '../../../domain/outpoint.ts';
import type { Block } from './block.ts';
import { type ScriptIndex, createScriptIndex } from './script-index.ts';
import { type Tx, isCoinbase } from './tx.ts';

/** An unspent output. */
export interface Coin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly script: Uint8Array;
  /** Null while its transaction waits in the mempool. */
  readonly height: number | null;
  readonly coinbase: boolean;
}

export interface Spend {
  readonly txid: Txid;
  /** Which input spends it. */
  readonly vin: number;
  readonly height: number | null;
}

/** What the best chain says: its transactions, the coins they left and who spent the others. */
export interface Ledger {
  /** Of the newest block. */
  height(): number;
  coin(key: string): Coin | undefined;
  transaction(txid: Txid): { tx: Tx; height: number } | undefined;
  spend(key: string): Spend | undefined;
  /** Transactions that pay to a script or spend from it, oldest first. */
  readonly history: ScriptIndex;
  connect(block: Block): void;
  /** Takes back the newest block. */
  disconnect(block: Block): void;
}

export function createLedger(): Ledger {
  const coins = new Map<string, Coin>();
  const transactions = new Map<Txid, { tx: Tx; height: number }>();
  const spends = new Map<string, Spend>();
  const history = createScriptIndex();
  /** By block: the coins that it spent, for taking it back. */
  const undo = new Map<string, Coin[]>();
  let tip = -1;

  return {
    height: () => tip,
    coin: (key) => coins.get(key),
    transaction: (txid) => transactions.get(txid),
    spend: (key) => spends.get(key),
    history,
    connect({ hash, height, transactions: content }) {
      const spent: Coin[] = [];
      tip = height;
      for (const tx of content) {
        const coinbase = isCoinbase(tx);
        const scripts = tx.outputs.map(({ script }) => toHex(script));
        if (!coinbase) {
          for (const [vin, { spends: point }] of tx.inputs.entries()) {
            const key = outpointKey(point);
            // An unchecked transaction may spend what nobody ever saw.
            const coin = coins.get(key);
            if (coin !== undefined) {
              spent.push(coin);
              scripts.push(toHex(coin.script));
              coins.delete(key);
            }
            spends.set(key, { txid: tx.txid, vin, height });
          }
        }
        // Nobody can spend the genesis coinbase, as in Bitcoin Core.
        if (height > 0) {
          for (const [vout, { amount, script }] of tx.outputs.entries()) {
            if (script[0] === 0x6a) continue;
            const outpoint = { txid: tx.txid, vout };
            coins.set(outpointKey(outpoint), { outpoint, amount, script, height, coinbase });
          }
        }
        transactions.set(tx.txid, { tx, height });
        history.add(tx.txid, scripts);
      }
      if (spent.length > 0) undo.set(hash, spent);
    },
    disconnect({ hash, height, transactions: content }) {
      tip = height - 1;
      for (const tx of content.toReversed()) {
        transactions.delete(tx.txid);
        history.remove(tx.txid);
        for (const vout of tx.outputs.keys()) coins.delete(outpointKey({ txid: tx.txid, vout }));
        for (const { spends: point } of tx.inputs) spends.delete(outpointKey(point));
      }
      const own = new Set(content.map(({ txid }) => txid));
      for (const coin of undo.get(hash) ?? [])
        if (!own.has(coin.outpoint.txid)) coins.set(outpointKey(coin.outpoint), coin);
      undo.delete(hash);
    },
  };
}
