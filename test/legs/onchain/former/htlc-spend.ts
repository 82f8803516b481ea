import { encode } from 'bip66';
import * as library from 'tiny-secp256k1';
import { SigHash } from '@scure/btc-signer';
import { TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import type { Preimage } from '../../../../engine/domain/hash.ts';
import type { Sats } from '../../../../engine/domain/money.ts';
import { leafWitness, signatureLength, spendFee } from '../../../../engine/legs/leaf-spend.ts';
import { newTx, type Tx } from '../../../../engine/legs/psbt.ts';
import { schnorrSign } from '../../../../engine/legs/secp256k1.ts';
import type { HtlcTerms } from '../../../../engine/legs/onchain/htlc.ts';
import type { HtlcSpend, HtlcSpendRequest } from '../../../../engine/legs/onchain/htlc-spend.ts';
import { htlcScript, type HtlcScript } from './htlc.ts';

/** Replaceable (BIP-125), and with a locktime that counts. */
const sequence = 0xfffffffd;
/** An ECDSA signature in DER with its sighash byte, at its longest with a low s. */
const derLength = 72;

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

function ecdsaSign(hash: Uint8Array, secret: Uint8Array): Uint8Array {
  const compact = library.sign(hash, secret);
  return encode(derInteger(compact.subarray(0, 32)), derInteger(compact.subarray(32)));
}

function derInteger(bytes: Uint8Array): Uint8Array {
  const short = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return (short[0] ?? 0) < 0x80 ? short : Uint8Array.of(0, ...short);
}
