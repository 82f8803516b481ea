import type { Common } from '@ethereumjs/common';
import { type TypedTransaction, createTxFromRLP } from '@ethereumjs/tx';
import { bytesToHex, hexToBytes } from '@ethereumjs/util';
import type { Hex } from 'viem';
import { RpcFailure } from './failure.ts';

/** A transaction that waits. */
export interface Waiting {
  readonly tx: TypedTransaction;
  readonly hash: Hex;
  readonly sender: Hex;
}

export interface Account {
  readonly nonce: bigint;
  readonly balance: bigint;
}

export interface Pool {
  add(raw: unknown, accountOf: (address: Hex) => Promise<Account>): Promise<Hex>;
  find(hash: string): Waiting | undefined;
  remove(hash: Hex): void;
  /** The nonce after those of a sender that wait without a gap. */
  nextNonce(sender: string, mined: bigint): bigint;
  /** The dearest of those whose turn it is; the first that came among equals. */
  next(baseFee: bigint, nonceOf: (sender: Hex) => Promise<bigint>): Promise<Waiting | undefined>;
}

/** What a transaction pays at most for a unit of gas, and above the base fee. */
export function pricesOf(tx: TypedTransaction): { most: bigint; tip: bigint } {
  if ('maxFeePerGas' in tx) return { most: tx.maxFeePerGas, tip: tx.maxPriorityFeePerGas };
  return { most: tx.gasPrice, tip: tx.gasPrice };
}

export function createPool(common: Common): Pool {
  let waiting: readonly Waiting[] = [];

  function parsed(raw: unknown): TypedTransaction {
    try {
      const tx = createTxFromRLP(hexToBytes(raw as Hex), { common });
      if (!tx.isSigned() || !tx.verifySignature()) throw new Error('no signature');
      return tx;
    } catch (error) {
      throw new RpcFailure(-32602, `failed to decode signed transaction: ${String(error)}`);
    }
  }

  return {
    async add(raw, accountOf) {
      const tx = parsed(raw);
      const [hash, sender] = [bytesToHex(tx.hash()) as Hex, tx.getSenderAddress().toString() as Hex];
      if (waiting.some((one) => one.hash === hash)) throw new RpcFailure(-32000, 'already known');
      const { nonce, balance } = await accountOf(sender);
      if (tx.nonce < nonce) throw new RpcFailure(-32003, 'nonce too low');
      const { most } = pricesOf(tx);
      if (balance < tx.gasLimit * most + tx.value)
        throw new RpcFailure(-32003, 'Insufficient funds for gas * price + value');
      const rival = waiting.find((one) => one.sender === sender && one.tx.nonce === tx.nonce);
      if (rival !== undefined && most * 10n < pricesOf(rival.tx).most * 11n)
        throw new RpcFailure(-32003, 'replacement transaction underpriced');
      waiting = [...waiting.filter((one) => one !== rival), { tx, hash, sender }];
      return hash;
    },
    find: (hash) => waiting.find((one) => one.hash === hash),
    remove(hash) {
      waiting = waiting.filter((one) => one.hash !== hash);
    },
    nextNonce(sender, mined) {
      let nonce = mined;
      while (waiting.some((one) => one.sender === sender.toLowerCase() && one.tx.nonce === nonce)) nonce += 1n;
      return nonce;
    },
    async next(baseFee, nonceOf) {
      let best: Waiting | undefined;
      for (const one of waiting) {
        if (pricesOf(one.tx).most < baseFee || one.tx.nonce !== (await nonceOf(one.sender))) continue;
        if (best === undefined || reward(one, baseFee) > reward(best, baseFee)) best = one;
      }
      return best;
    },
  };
}

function reward({ tx }: Waiting, baseFee: bigint): bigint {
  const { most, tip } = pricesOf(tx);
  return most - baseFee < tip ? most - baseFee : tip;
}
