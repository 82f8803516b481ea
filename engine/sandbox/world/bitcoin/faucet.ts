import { createHash } from 'node:crypto';
import { toHex } from '../../../domain/hex.ts';
import { type Sats, minus, sats } from '../../../domain/money.ts';
import { type Outpoint, outpointKey } from '../../../domain/outpoint.ts';
import { coinbaseMaturity } from './consensus.ts';
import type { Coin, Ledger } from './ledger.ts';
import type { Mempool } from './mempool.ts';
import { parseTx, writeTx } from './tx.ts';

/** The faucet's and the miner's money needs no key: a script that is true by itself. */
const anyone = Uint8Array.of(0x51);
export const treasuryScript = scriptHash(anyone);
export const minerScript = scriptHash(Uint8Array.of(0x52));

/** Of one input and two outputs to the largest scripts, in virtual bytes. */
const vsize = 170;
const finalSequence = 0xfffffffe;
/** A coin deeper in unconfirmed change than this would soon break the rule on chains in the mempool. */
const deepest = 20;
const leastChange = 1_000n;

export interface Faucet {
  /** The bytes of a payment whose first output is the one asked for; null when no coin is large enough. */
  pay(script: Uint8Array, amount: Sats, satPerVb: number): Uint8Array | null;
}

/** Turns through the treasury's coins, so that payments hang together as little as they can. */
export function createFaucet({ ledger, mempool }: { ledger: Ledger; mempool: Mempool }): Faucet {
  const own = toHex(treasuryScript);
  let queue: readonly Outpoint[] = [];

  function usable(point: Outpoint, need: bigint): Coin | undefined {
    const key = outpointKey(point);
    const coin = ledger.coin(key) ?? mempool.coin(key);
    if (coin === undefined || mempool.spend(key) !== undefined || coin.amount < need || toHex(coin.script) !== own)
      return undefined;
    if (coin.coinbase && coin.height !== null && ledger.height() + 1 - coin.height < coinbaseMaturity) return undefined;
    const waiting = mempool.get(point.txid);
    return waiting !== undefined && mempool.ancestors(waiting.tx).length >= deepest ? undefined : coin;
  }

  function allCoins(): readonly Outpoint[] {
    return [...ledger.history.of(own), ...mempool.history.of(own)].flatMap((txid) => {
      const tx = ledger.transaction(txid)?.tx ?? mempool.get(txid)?.tx;
      return (tx?.outputs ?? []).map((_, vout) => ({ txid, vout }));
    });
  }

  function take(need: bigint): Coin | undefined {
    const index = queue.findIndex((point) => usable(point, need) !== undefined);
    const point = queue[index];
    if (point === undefined) return undefined;
    queue = [...queue.slice(index + 1), ...queue.slice(0, index)];
    return usable(point, need);
  }

  return {
    pay(script, amount, satPerVb) {
      const fee = sats(Math.ceil(vsize * satPerVb));
      let coin = take(amount + fee);
      if (coin === undefined) {
        queue = allCoins();
        coin = take(amount + fee);
      }
      if (coin === undefined) return null;
      const change = minus(minus(coin.amount, amount), fee);
      const bytes = writeTx({
        version: 2,
        inputs: [{ spends: coin.outpoint, sequence: finalSequence, witness: [anyone] }],
        outputs: [{ amount, script }, ...(change < leastChange ? [] : [{ amount: change, script: treasuryScript }])],
      });
      queue = [...queue, { txid: parseTx(bytes).txid, vout: 1 }];
      return bytes;
    },
  };
}

function scriptHash(script: Uint8Array): Uint8Array {
  return Uint8Array.of(0, 32, ...createHash('sha256').update(script).digest());
}
