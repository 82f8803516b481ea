import { SigHash } from '@scure/btc-signer';
import { TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import { type Preimage, sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { type Outpoint, sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { leafWitness, signatureLength, spendFee } from '../leaf-spend.ts';
import { type CoinRef, newTx, type Tx } from '../psbt.ts';
import type { RawTransaction } from '../raw-tx.ts';
import { ecdsaSign, schnorrSign } from '../secp256k1.ts';
import { preimageMatches } from '../secret.ts';
import { withoutAnnex } from '../seen-tx.ts';
import { htlcScript, type HtlcScript, type HtlcTerms } from './htlc.ts';

/** Replaceable (BIP-125), and with a locktime that counts. */
const sequence = 0xfffffffd;
/** An ECDSA signature in DER with its sighash byte, at its longest with a low s. */
const derLength = 72;

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
 * Claims an HTLC with the secret, or takes it back by its locktime (facts/onchain.md 3). Null says that the coin is not worth one sat per virtual
 * byte. Wrong: a spend that no node relays, and past the locktime the coin is the other side's.
 */
export function buildHtlcSpend(terms: HtlcTerms, request: HtlcSpendRequest): HtlcSpend | null {
  const { coin, preimage, to, secret } = request;
  const script = htlcScript(terms);
  const spending = (amount: bigint): Tx => {
    const tx = newTx({ version: 2, lockTime: preimage === undefined ? terms.refundLocktime : 0 });
    tx.addInput({
      txid: coin.txid,
      index: coin.vout,
      sequence,
      witnessUtxo: { script: script.pkScript, amount: coin.amount },
    });
    tx.addOutput({ script: to, amount });
    return tx;
  };
  const unsigned = spending(coin.amount);
  const longest = new Uint8Array(script.form === 'p2tr' ? signatureLength : derLength);
  const size = finished(unsigned, witnessOf(script, longest, preimage)).vsize;
  const paid = spendFee({ amount: coin.amount, most: request.mostFee, size, rate: request.feeRate });
  if (paid === null) return null;
  const tx = spending(coin.amount - paid.fee);
  const signature = signed(tx, script, coin.amount, secret, preimage !== undefined);
  finished(tx, witnessOf(script, signature, preimage));
  return {
    txid: tx.id,
    bytes: tx.extract(),
    fee: paid.fee as Sats,
    rate: Number(paid.fee) / size,
    capped: paid.capped,
  };
}

function signed(tx: Tx, script: HtlcScript, amount: bigint, secret: Uint8Array, claims: boolean): Uint8Array {
  if (script.form === 'p2wsh')
    return Uint8Array.of(
      ...ecdsaSign(tx.preimageWitnessV0(0, script.witnessScript, SigHash.ALL, amount), secret),
      SigHash.ALL,
    );
  const leaf = claims ? script.claim : script.refund;
  const message = tx.preimageWitnessV1(
    0,
    [script.pkScript],
    SigHash.DEFAULT,
    [amount],
    undefined,
    leaf.script,
    TAP_LEAF_VERSION,
  );
  return schnorrSign(message, secret);
}

/** Bottom of the stack first. The Taproot leaf checks the signature before the secret, the witness script takes its branch first. */
function witnessOf(script: HtlcScript, signature: Uint8Array, preimage: Preimage | undefined): Uint8Array[] {
  if (script.form === 'p2wsh')
    return preimage === undefined
      ? [signature, Uint8Array.of(), script.witnessScript]
      : [signature, preimage, Uint8Array.of(1), script.witnessScript];
  return preimage === undefined
    ? leafWitness(script.refund, [signature])
    : leafWitness(script.claim, [preimage, signature]);
}

function finished(tx: Tx, witness: Uint8Array[]): Tx {
  tx.updateInput(0, { finalScriptWitness: witness }, true);
  return tx;
}

/** By which condition a coin was taken. `unknown`: what is shown opens neither, and is no spend of it. */
export type HtlcSpentBy =
  { readonly by: 'claim'; readonly preimage: Preimage } | { readonly by: 'refund' } | { readonly by: 'unknown' };

/**
 * Reads the spend of an HTLC's coin by any transaction that a miner can mine. The secret is checked against the hash, and the script against the
 * output: bytes that a source made up say nothing. Null where the transaction does not spend the coin at all. The secret is looked for in the
 * whole witness of that input and nowhere else: the script took it from there.
 */
export function readHtlcSpend(terms: HtlcTerms, coin: Outpoint, { inputs }: RawTransaction): HtlcSpentBy | null {
  const input = inputs.find((one) => sameOutpoint(one, coin));
  if (input === undefined) return null;
  for (const item of input.candidates) {
    const preimage = preimageMatches(terms.hash, item);
    if (preimage !== null) return { by: 'claim', preimage };
  }
  const script = htlcScript(terms);
  const stack = input.witness;
  const same = (item: Uint8Array | undefined, expected: Uint8Array) => item !== undefined && sameBytes(item, expected);
  if (script.form === 'p2tr') {
    const { items } = withoutAnnex(stack);
    return { by: items.length === 3 && same(items.at(-2), script.refund.script) ? 'refund' : 'unknown' };
  }
  // Any branch leaves one item where its number fits; that the selector is minimal is policy (facts/onchain.md 9).
  return { by: stack.length === 3 && same(stack.at(-1), script.witnessScript) ? 'refund' : 'unknown' };
}
