import { sha256 } from '@noble/hashes/sha2.js';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { sameBytes } from '../../domain/hash.ts';
import { type Outpoint, sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { JointKey } from '../musig.ts';
import type { CoinRef, Prevout } from '../psbt.ts';
import { readRawTx, type RawTransaction } from '../raw-tx.ts';
import { schnorrVerify, taggedHash } from '../secp256k1.ts';
import { withoutAnnex } from '../seen-tx.ts';
import { htlcScript, type MusigHtlcTerms } from './htlc.ts';

/*
 * A spend of an HTLC's coin by the aggregate key of both sides (facts/onchain.md 12). What it is for, nobody sees in
 * it: whoever gave a partial signature for it says so, by what was noted before that was given.
 *
 * Loses money when wrong: a partial signature that takes another coin than the one that was judged; a claim of the
 * client's taken for its refund, or either for nobody's.
 */

/** Bytes of a transaction that is looked at: policy relays none that is larger. */
const mostBytes = 100_000;

/** A key-path spend that one side asks the other to sign, as it was judged. */
export interface KeySpend {
  readonly txid: Txid;
  /** BIP-341 with SIGHASH_DEFAULT: what both sign. 32 bytes. */
  readonly sighash: Uint8Array;
  /** SHA-256 of all outputs as they are serialised, in their order: what the spend is found again by. */
  readonly outputs: Uint8Array;
  /** Without witnesses. */
  readonly bytes: Uint8Array;
}

export interface KeySpendRequest {
  /** The transaction, with witnesses or without. */
  readonly transaction: Uint8Array;
  /** Of the input that takes the coin. */
  readonly index: number;
  /** What each input takes, in their order: the signature commits to all. */
  readonly prevouts: readonly Prevout[];
}

/**
 * Reads a transaction that takes exactly the named coin by the key of both; a sentence where it is none. Nothing is
 * ever signed that was not read here: the message is made of the transaction, and never taken from anybody.
 */
export function readKeySpend(terms: MusigHtlcTerms, coin: CoinRef, request: KeySpendRequest): KeySpend | string {
  const { transaction, index, prevouts } = request;
  const tx = transaction.length > mostBytes ? null : parsed(transaction);
  if (tx === null) return 'it is no transaction that nodes relay';
  const { library, raw } = tx;
  const input = raw.inputs[index];
  const prevout = prevouts[index];
  if (input === undefined || prevout === undefined || !sameOutpoint(input, coin))
    return `input ${index} does not take ${coin.txid}:${coin.vout}`;
  if (raw.inputs.filter((one) => sameOutpoint(one, coin)).length !== 1) return 'it takes the coin more than once';
  if (raw.outputs.length === 0) return 'it pays nobody';
  if (prevouts.length !== raw.inputs.length) return 'what its other inputs take is not known';
  if (prevout.amount !== coin.amount || !sameBytes(prevout.script, htlcScript(terms).pkScript))
    return 'its input takes another coin than that of the swap';
  const sighash = library.hashForWitnessV1(
    index,
    prevouts.map(({ script }) => script),
    prevouts.map(({ amount }) => amount),
    Transaction.SIGHASH_DEFAULT,
  );
  return { txid: raw.txid, sighash, outputs: outputsOf(raw), bytes: withoutWitness(library) };
}

/** Read by two readers, which must agree on every byte: what the one judges, the other signs. */
function parsed(bytes: Uint8Array): { readonly library: Transaction; readonly raw: RawTransaction } | null {
  const raw = readRawTx(bytes);
  if (raw === null) return null;
  try {
    const library = Transaction.fromBuffer(bytes);
    return library.getId() === raw.txid && sameBytes(library.toBuffer(), bytes) ? { library, raw } : null;
  } catch {
    return null;
  }
}

function withoutWitness(tx: Transaction): Uint8Array {
  const bare = tx.clone();
  for (const input of bare.ins) input.witness = [];
  return bare.toBuffer();
}

/** SHA-256 of the outputs as BIP-341 has them. */
export function outputsOf({ outputs }: Pick<RawTransaction, 'outputs'>): Uint8Array {
  const tx = new Transaction();
  for (const { script, amount } of outputs) tx.addOutput(script, amount);
  const bytes = tx.toBuffer();
  // Version, no inputs; then the count of outputs and they themselves; then the locktime.
  return sha256(bytes.subarray(4 + 1, bytes.length - 4));
}

/** The keys that sign together. */
export function jointKeyOf(terms: MusigHtlcTerms): JointKey {
  const { claimer, refunder } = terms;
  const [provider, client] = terms.provider === 'claimer' ? [claimer, refunder] : [refunder, claimer];
  return { provider, client, root: htlcScript(terms).root };
}

/**
 * Whether a transaction takes the coin by the key of both. Of one with other inputs only that it seems so: what those
 * take is not known.
 */
export function isKeySpend(terms: MusigHtlcTerms, coin: CoinRef, tx: RawTransaction): boolean {
  const input = tx.inputs.find((one) => sameOutpoint(one, coin));
  if (input === undefined) return false;
  const { items, annex } = withoutAnnex(input.witness);
  const [signature] = items;
  if (signature === undefined || items.length !== 1 || (signature.length !== 64 && signature.length !== 65))
    return false;
  if (tx.inputs.length !== 1 || annex !== null || signature.length !== 64) return true;
  const read = readKeySpend(terms, coin, {
    transaction: tx.bytes,
    index: 0,
    prevouts: [{ script: htlcScript(terms).pkScript, amount: coin.amount }],
  });
  if (typeof read === 'string') return true;
  return schnorrVerify(signature, read.sighash, htlcScript(terms).pkScript.subarray(2));
}

/**
 * What the refunder signs with the key of its leaf when it asks for a partial signature on a spend: whoever knows no
 * more than a swap's id ends no swap by it. 32 bytes, by the tagged hash of BIP-340.
 */
export function refundAsk({ sighash }: Pick<KeySpend, 'sighash'>): Uint8Array {
  return taggedHash('cooperative-refund', sighash);
}

/** What a partial signature of ours was given for. */
export type PartialPurpose = 'claim' | 'refund';

/** A partial signature of ours that was noted: it counts as given from then on, whatever became of the answer. */
export interface GivenPartial {
  readonly coin: Outpoint;
  readonly purpose: PartialPurpose;
  readonly txid: Txid;
  readonly sighash: Uint8Array;
  readonly outputs: Uint8Array;
}

/**
 * What a spend by the key of both was for: that of the partial which was given for the same coin and outputs. Null: we
 * never signed for it.
 */
export function purposeOf(
  coin: Outpoint,
  tx: Pick<RawTransaction, 'outputs'>,
  given: readonly GivenPartial[],
): PartialPurpose | null {
  const outputs = outputsOf(tx);
  return given.find((one) => sameOutpoint(one.coin, coin) && sameBytes(one.outputs, outputs))?.purpose ?? null;
}
