import { Transaction } from 'bitcoinjs-lib/src/transaction';
import type { Sats } from '../../domain/money.ts';
import { signatureLength, spendFee } from '../leaf-spend.ts';
import type { CoinRef } from '../psbt.ts';
import { htlcScript, type MusigHtlcTerms } from './htlc.ts';
import { readKeySpend, type KeySpend } from './key-spend.ts';
import { unsignedTx } from './transaction.ts';

/** Replaceable (BIP-125): by its script the coin can be taken in its place, at a higher fee. */
const sequence = 0xfffffffd;

export interface JointSpendRequest {
  readonly coin: CoinRef;
  /** Output script that is paid everything but the fee. */
  readonly to: Uint8Array;
  /** Sats per virtual byte that are wanted; what is paid may be less, see `rate` of the answer. */
  readonly feeRate: number;
  /** Most that is paid; a coin too small for it goes to the miner but for dust. */
  readonly mostFee: Sats;
}

/** A spend by the key of both that nobody has signed yet. */
export interface JointSpend {
  readonly spend: KeySpend;
  readonly fee: Sats;
  /** Sats per virtual byte that it pays. */
  readonly rate: number;
  /** It pays as much as it may. */
  readonly capped: boolean;
}

/**
 * Takes an HTLC's coin by the key of both, to our wallet (facts/onchain.md 12). Null says that the coin is not worth
 * one sat per virtual byte. Wrong: the other side signs for what nobody relays, and its answer is worth nothing.
 */
export function buildJointSpend(terms: MusigHtlcTerms, request: JointSpendRequest): JointSpend | null {
  const { coin, to } = request;
  const spending = (amount: bigint): Transaction =>
    unsignedTx({ inputs: [coin], outputs: [{ script: to, amount }], sequence });
  const signed = withSignature(spending(coin.amount).toBuffer(), new Uint8Array(signatureLength));
  const size = Transaction.fromBuffer(signed).virtualSize();
  const paid = spendFee({ amount: coin.amount, most: request.mostFee, size, rate: request.feeRate });
  if (paid === null) return null;
  const spend = readKeySpend(terms, coin, {
    transaction: spending(coin.amount - paid.fee).toBuffer(),
    index: 0,
    prevouts: [{ script: htlcScript(terms).pkScript, amount: coin.amount }],
  });
  if (typeof spend === 'string') throw new Error(`our own spend by the key of both is none: ${spend}`);
  return { spend, fee: paid.fee as Sats, rate: Number(paid.fee) / size, capped: paid.capped };
}

/** The transaction with the signature of both in its only input. */
export function withJointSignature({ bytes }: Pick<KeySpend, 'bytes'>, signature: Uint8Array): Uint8Array {
  return withSignature(bytes, signature);
}

function withSignature(bytes: Uint8Array, signature: Uint8Array): Uint8Array {
  const tx = Transaction.fromBuffer(bytes);
  tx.setWitness(0, [signature]);
  return tx.toBuffer();
}
