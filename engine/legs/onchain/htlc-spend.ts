import { encode } from 'bitcoinjs-lib/src/script_signature';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { type Preimage, sameBytes } from '../../domain/hash.ts';
import { noSats, type Sats } from '../../domain/money.ts';
import { type Outpoint, sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { signatureLength, spendFee } from '../leaf-spend.ts';
import type { CoinRef } from '../psbt.ts';
import type { RawTransaction } from '../raw-tx.ts';
import { ecdsaSign, schnorrSign } from '../secp256k1.ts';
import { preimageMatches } from '../secret.ts';
import { withoutAnnex } from '../seen-tx.ts';
import { htlcScript, type HtlcScript, type HtlcTerms } from './htlc.ts';
import { locktimeOf } from './locktime.ts';
import { unsignedTx } from './transaction.ts';

/** Replaceable (BIP-125), and with a locktime that counts. */
const sequence = 0xfffffffd;
/** An ECDSA signature in DER with its sighash byte, at its longest with a low s. */
const derLength = 72;
/** Bytes of the script of a Taproot output. */
const taprootLength = 34;

export interface HtlcSpendRequest {
  readonly coin: CoinRef;
  /** For a claim; without it the coin is refunded. */
  readonly preimage?: Preimage;
  /** Output script that is paid everything but the fee. */
  readonly to: Uint8Array;
  /** Sats per virtual byte that are wanted; what is paid may be less, see `rate` of the answer. */
  readonly feeRate: number;
  /** Most that is paid; a coin too small for it goes to the miner but for dust. */
  readonly mostFee: Sats;
  /** The private key of the claimer or the refunder. */
  readonly secret: Uint8Array;
}

/** A signed spend of an HTLC. */
export interface HtlcSpend {
  readonly txid: Txid;
  /** With its witness, which shows the secret when it is a claim. */
  readonly bytes: Uint8Array;
  readonly fee: Sats;
  /** Sats per virtual byte that it pays. */
  readonly rate: number;
  /** It pays as much as it may. */
  readonly capped: boolean;
}

/**
 * Claims an HTLC with the secret, or takes it back by its locktime (facts/onchain.md 3). Null says that the coin is not
 * worth one sat per virtual byte. Wrong: a spend that no node relays, and past the locktime the coin is the other
 * side's.
 */
export function buildHtlcSpend(terms: HtlcTerms, request: HtlcSpendRequest): HtlcSpend | null {
  const { coin, preimage, secret } = request;
  const script = htlcScript(terms);
  const spending = (amount: bigint): Transaction => unsigned(terms, request, amount);
  const size = sizeOf(script, spending(coin.amount), preimage);
  const paid = spendFee({ amount: coin.amount, most: request.mostFee, size, rate: request.feeRate });
  if (paid === null) return null;
  const tx = spending(coin.amount - paid.fee);
  const signature = signed(tx, script, coin.amount, secret, preimage !== undefined);
  finished(tx, witnessOf(script, signature, preimage));
  return {
    txid: tx.getId(),
    bytes: tx.toBuffer(),
    fee: paid.fee as Sats,
    rate: Number(paid.fee) / size,
    capped: paid.capped,
  };
}

/** Virtual bytes of a refund that pays a Taproot output. */
export function refundSize(terms: HtlcTerms): number {
  const coin = { txid: '00'.repeat(32), vout: 0, amount: noSats };
  return sizeOf(htlcScript(terms), unsigned(terms, { coin, to: new Uint8Array(taprootLength) }, 0n));
}

function unsigned(
  terms: HtlcTerms,
  { coin, preimage, to }: Pick<HtlcSpendRequest, 'coin' | 'preimage' | 'to'>,
  amount: bigint,
): Transaction {
  return unsignedTx({
    inputs: [coin],
    outputs: [{ script: to, amount }],
    sequence,
    lockTime: preimage === undefined ? locktimeOf(terms) : 0,
  });
}

/** With a signature at its longest. */
function sizeOf(script: HtlcScript, tx: Transaction, preimage?: Preimage): number {
  const longest = new Uint8Array(script.form === 'p2wsh' ? derLength : signatureLength);
  return finished(tx, witnessOf(script, longest, preimage)).virtualSize();
}

function signed(tx: Transaction, script: HtlcScript, amount: bigint, secret: Uint8Array, claims: boolean): Uint8Array {
  if (script.form === 'p2wsh') {
    const message = tx.hashForWitnessV0(0, script.witnessScript, amount, Transaction.SIGHASH_ALL);
    return encode(ecdsaSign(message, secret), Transaction.SIGHASH_ALL);
  }
  const { hash } = claims ? script.claim : script.refund;
  return schnorrSign(tx.hashForWitnessV1(0, [script.pkScript], [amount], Transaction.SIGHASH_DEFAULT, hash), secret);
}

/**
 * Bottom of the stack first. The Taproot leaf checks the signature before the secret, that below an aggregate key the
 * secret first; the witness script takes its branch first.
 */
function witnessOf(script: HtlcScript, signature: Uint8Array, preimage: Preimage | undefined): Uint8Array[] {
  if (script.form === 'p2wsh')
    return preimage === undefined
      ? [signature, Uint8Array.of(), script.witnessScript]
      : [signature, preimage, Uint8Array.of(1), script.witnessScript];
  const { script: leaf, controlBlock } = preimage === undefined ? script.refund : script.claim;
  const secret = preimage === undefined ? [] : [preimage];
  return [...(script.form === 'p2tr' ? [...secret, signature] : [signature, ...secret]), leaf, controlBlock];
}

function finished(tx: Transaction, witness: Uint8Array[]): Transaction {
  tx.setWitness(0, witness);
  return tx;
}

/**
 * By which condition a coin was taken. `key`: by both together, which shows neither secret nor purpose. `unknown`: what
 * is shown opens none, and is no spend of it.
 */
export type HtlcSpentBy =
  | { readonly by: 'claim'; readonly preimage: Preimage }
  | { readonly by: 'refund' }
  | { readonly by: 'key' }
  | { readonly by: 'unknown' };

/**
 * Reads the spend of an HTLC's coin by any transaction that a miner can mine. The secret is checked against the hash,
 * and the script against the output: bytes that a source made up say nothing. Null where the transaction does not
 * spend the coin at all. What takes it back is no claim, whatever stands beside (facts/faults.md 276). The secret is
 * looked for in the whole witness of that input and nowhere else: the script took it from there.
 */
export function readHtlcSpend(terms: HtlcTerms, coin: Outpoint, { inputs }: RawTransaction): HtlcSpentBy | null {
  const input = inputs.find((one) => sameOutpoint(one, coin));
  if (input === undefined) return null;
  const script = htlcScript(terms);
  const { items } = script.form === 'p2wsh' ? { items: input.witness } : withoutAnnex(input.witness);
  if (takesBack(script, items)) return { by: 'refund' };
  for (const item of input.candidates) {
    const preimage = preimageMatches(terms.hash, item);
    if (preimage !== null) return { by: 'claim', preimage };
  }
  return { by: script.form === 'musig' && items.length === 1 && isSignature(items[0]) ? 'key' : 'unknown' };
}

/**
 * By the number of items and the script: a claim has one more. A secret may stand there all the same, as the annex, or
 * of nothing but zeros as the selector, which is minimal by policy alone (facts/onchain.md 9).
 */
function takesBack(script: HtlcScript, items: readonly Uint8Array[]): boolean {
  const [shown, expected] =
    script.form === 'p2wsh' ? [items.at(-1), script.witnessScript] : [items.at(-2), script.refund.script];
  return items.length === 3 && shown !== undefined && sameBytes(shown, expected);
}

/** BIP-341: with a byte more where it names a sighash type. */
function isSignature(item: Uint8Array | undefined): boolean {
  return item?.length === signatureLength || item?.length === signatureLength + 1;
}
