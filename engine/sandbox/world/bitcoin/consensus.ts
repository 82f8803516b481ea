import { type Sats, sats } from '../../../domain/money.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { scriptFault } from './interpreter.ts';
import type { Coin } from './ledger.ts';
import { inBitcoin, reject } from './rejection.ts';
import { type Tx, isCoinbase, totalOut } from './tx.ts';

/** What a rule on time asks the chain. */
export interface ChainTime {
  readonly height: number;
  readonly mtp: number;
  /** Median time past at a height of the best chain. */
  mtpAt(height: number): number;
}

const mostSats = 2_100_000_000_000_000n;
export const coinbaseMaturity = 100;
const locktimeThreshold = 500_000_000;
const finalSequence = 0xffffffff;
/** BIP-68: bit 31 switches it off, bit 22 chooses units of 512 s, the low 16 bits count. */
const sequence = { off: 0x80000000, seconds: 0x00400000, mask: 0xffff, granularity: 9 };
const largestWeight = 4_000_000;

/** What holds for a transaction by itself. */
export function checkTransaction(tx: Tx): void {
  if (tx.inputs.length === 0) reject('bad-txns-vin-empty');
  if (tx.outputs.length === 0) reject('bad-txns-vout-empty');
  if (tx.weight > largestWeight) reject('bad-txns-oversize');
  if (tx.outputs.some(({ amount }) => amount > mostSats)) reject('bad-txns-vout-toolarge');
  if (totalOut(tx) > mostSats) reject('bad-txns-txouttotal-toolarge');
  if (new Set(tx.inputs.map(({ spends }) => outpointKey(spends))).size < tx.inputs.length)
    reject('bad-txns-inputs-duplicate');
  if (isCoinbase(tx)) reject('coinbase');
}

/**
 * Whether the locktime lets it into the next block: at a height the block after it, at a time once the median has
 * passed it.
 */
export function isFinal(tx: Tx, { height, mtp }: ChainTime): boolean {
  const limit = tx.locktime < locktimeThreshold ? height + 1 : mtp;
  return tx.locktime < limit || tx.inputs.every((input) => input.sequence === finalSequence);
}

/** BIP-68: whether every input has aged as its sequence says, seen from the next block. */
export function sequenceLocksPass(tx: Tx, coins: readonly Coin[], { height, mtp, mtpAt }: ChainTime): boolean {
  if (tx.version < 2) return true;
  return tx.inputs.every((input, i) => {
    const lock = input.sequence;
    if ((lock & sequence.off) !== 0) return true;
    const coinHeight = coins[i]?.height ?? height + 1;
    const count = lock & sequence.mask;
    if ((lock & sequence.seconds) === 0) return coinHeight + count <= height + 1;
    return mtpAt(Math.max(coinHeight - 1, 0)) + count * 2 ** sequence.granularity <= mtp;
  });
}

/** Value and maturity; returns the fee. */
export function checkInputs(tx: Tx, coins: readonly Coin[], { height }: ChainTime): Sats {
  for (const coin of coins) {
    const depth = height + 1 - (coin.height ?? height + 1);
    if (coin.coinbase && depth < coinbaseMaturity)
      reject('bad-txns-premature-spend-of-coinbase', `tried to spend coinbase at depth ${depth}`);
  }
  const [paidIn, paidOut] = [coins.reduce((sum, { amount }) => sum + amount, 0n), totalOut(tx)];
  if (paidIn < paidOut)
    reject('bad-txns-in-belowout', `value in (${inBitcoin(paidIn)}) < value out (${inBitcoin(paidOut)})`);
  return sats(paidIn - paidOut);
}

export function checkScripts(tx: Tx, coins: readonly Coin[]): void {
  const fault = scriptFault(tx, coins);
  if (fault !== null) reject(`mandatory-script-verify-flag-failed (${fault})`);
}
