import { SigHash } from '@scure/btc-signer';
import { TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { CoinRef } from '../psbt.ts';
import { leafWitness, signatureLength, spendFee, unsigned } from '../leaf-spend.ts';
import type { Tx } from '../psbt.ts';
import { delaySequence, type Leaf } from '../tapscript.ts';
import { vhtlcScript } from './script.ts';
import type { VhtlcTerms } from './terms.ts';

/** The leaves by which one party alone takes a coin that lies on the chain: no operator signs. */
export type ExitLeaf = 'unilateral-claim' | 'unilateral-refund-without-receiver';

export interface ExitRequest {
  /** The VHTLC's output on the chain. */
  readonly coin: CoinRef;
  readonly leaf: ExitLeaf;
  /** For a claim. */
  readonly preimage?: Uint8Array;
  /** Output script that is paid everything but the fee. */
  readonly to: Uint8Array;
  /** Sats per virtual byte that are wanted; what is paid may be less, see `rate` of the answer. */
  readonly feeRate: number;
  /** Most that is paid, half of the coin when left out; a coin too small for it goes to the miner but for dust. */
  readonly mostFee?: Sats;
  /** BIP-340 signature of the leaf's owner over a 32-byte message. */
  readonly sign: (message: Uint8Array) => Uint8Array;
}

export interface Exit {
  readonly txid: Txid;
  /** Raw transaction with its witness; it shows the preimage when it is a claim. */
  readonly bytes: Uint8Array;
  /** Sats per virtual byte that it pays. */
  readonly rate: number;
  /** True when it pays as much as it ever will: a higher fee would leave too little. */
  readonly capped: boolean;
}

/**
 * Spends a VHTLC's output on the chain by leaf 4 (claim) or 6 (refund without receiver), facts/arkade.md 46. Valid once
 * the leaf's delay has passed since the output was mined (BIP 68); its sequence also lets it be replaced (BIP 125).
 * The fee is never more than allowed while a smaller one is at all possible, and never leaves dust: null says
 * that the coin is not worth one sat per virtual byte. Too small a fee loses the race against the other party's leaf.
 */
export function buildExit(terms: VhtlcTerms, request: ExitRequest): Exit | null {
  const { coin, to, preimage } = request;
  const { leaf: leaves, pkScript } = vhtlcScript(terms);
  const leaf = leaves[request.leaf];
  const sequence = delaySequence(
    request.leaf === 'unilateral-claim' ? terms.claimDelay : terms.refundWithoutReceiverDelay,
  );
  const spending = (amount: bigint): Tx => unsigned([{ coin, pkScript, sequence }], { script: to, amount });
  const size = finished(spending(coin.amount), leaf, new Uint8Array(signatureLength), preimage).vsize;
  const paid = spendFee({
    amount: coin.amount,
    most: request.mostFee ?? coin.amount / 2n,
    size,
    rate: request.feeRate,
  });
  if (paid === null) return null;
  const { fee, capped } = paid;
  const tx = spending(coin.amount - fee);
  const message = tx.preimageWitnessV1(
    0,
    [pkScript],
    SigHash.DEFAULT,
    [coin.amount],
    undefined,
    leaf.script,
    TAP_LEAF_VERSION,
  );
  const signed = finished(tx, leaf, request.sign(message), preimage);
  return { txid: signed.id, bytes: signed.extract(), rate: Number(fee) / size, capped };
}

function finished(tx: Tx, leaf: Leaf, signature: Uint8Array, preimage: Uint8Array | undefined): Tx {
  const stack = preimage === undefined ? [signature] : [signature, preimage];
  tx.updateInput(0, { finalScriptWitness: leafWitness(leaf, stack) }, true);
  return tx;
}
