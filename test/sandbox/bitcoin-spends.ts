import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { OutScript, SigHash, Transaction } from '@scure/btc-signer';
import { htlcScript, type HtlcTerms, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import type { TreeLeaf } from '../../engine/legs/onchain/taproot.ts';
import { leafWitness } from '../../engine/legs/leaf-spend.ts';
import type { Leaf } from '../../engine/legs/tapscript.ts';
import { tampered, type Funds } from './bitcoin-support.ts';

/** One of the ways in which a coin can be spent: its script, and what follows the stack in the witness. */
export interface Way {
  readonly pkScript: Uint8Array;
  /** That the signature commits to; null for the key path. */
  readonly inner: Uint8Array | null;
  readonly tail: readonly Uint8Array[];
  readonly taproot: boolean;
}

export type Sign = (secret: Uint8Array) => Uint8Array;

/** How a coin is spent by a way, with everything that can be wrong about it. */
export interface Spending {
  /** Bottom first, above what follows from the way. */
  readonly stack: (sign: Sign, message: Uint8Array) => readonly Uint8Array[];
  readonly locktime?: number;
  readonly sequence?: number;
  readonly sighash?: number;
  /** What the signer believes of the coin beyond what is true. */
  readonly imagined?: bigint;
  readonly witness?: (witness: Uint8Array[]) => Uint8Array[];
  /** Bytes are signed, and then this happens to the first output. */
  readonly less?: bigint;
}

/** A spend of a coin of its own, which was mined an hour before, and whether a node takes it. */
export interface SpendRow {
  readonly name: string;
  readonly way: Way;
  readonly how: Spending;
  readonly holds: boolean;
}

export function leafWay(pkScript: Uint8Array, leaf: Leaf): Way {
  return { pkScript, inner: leaf.script, tail: leafWitness(leaf, []), taproot: true };
}

export function htlcWays(terms: HtlcTerms): { readonly claim: Way; readonly refund: Way } {
  const script = htlcScript(terms);
  if (script.form !== 'p2wsh') {
    const { pkScript, claim, refund } = script;
    const byLeaf = ({ script: inner, controlBlock }: TreeLeaf): Way => ({
      pkScript,
      inner,
      tail: [inner, controlBlock],
      taproot: true,
    });
    return { claim: byLeaf(claim), refund: byLeaf(refund) };
  }
  const { pkScript, witnessScript: inner } = script;
  const way = (branch: Uint8Array): Way => ({ pkScript, inner, tail: [branch, inner], taproot: false });
  return { claim: way(Uint8Array.of(1)), refund: way(new Uint8Array()) };
}

/** By the key of the output itself. */
export function keyWay(terms: MusigHtlcTerms): Way {
  return { pkScript: htlcScript(terms).pkScript, inner: null, tail: [], taproot: true };
}

const fee = 1_000n;
const payee = OutScript.encode({ type: 'tr', pubkey: schnorr.getPublicKey(new Uint8Array(32).fill(9)) });

/** The transaction that spends the funds in this way, signed and maybe spoilt. */
export function spent({ pkScript, inner, tail, taproot }: Way, how: Spending, { outpoint, amount }: Funds): Uint8Array {
  const { locktime = 0, sequence = 0xfffffffd, imagined = 0n, witness = (same) => same, less = 0n } = how;
  const tx = new Transaction({ version: 2, lockTime: locktime, allowUnknownOutputs: true });
  const believed = amount + imagined;
  tx.addInput({ txid: outpoint.txid, index: outpoint.vout, sequence, witnessUtxo: { script: pkScript, amount } });
  tx.addOutput({ script: payee, amount: amount - fee });
  const { sighash = taproot ? SigHash.DEFAULT : SigHash.ALL } = how;
  const message = taproot
    ? inner === null
      ? tx.preimageWitnessV1(0, [pkScript], sighash, [believed])
      : tx.preimageWitnessV1(0, [pkScript], sighash, [believed], undefined, inner, 0xc0)
    : tx.preimageWitnessV0(0, inner ?? new Uint8Array(), sighash, believed);
  const sign: Sign = (secret) => {
    if (!taproot) return Uint8Array.of(...secp256k1.sign(message, secret, { prehash: false, format: 'der' }), sighash);
    const signature = schnorr.sign(message, secret);
    return sighash === SigHash.DEFAULT ? signature : Uint8Array.of(...signature, sighash);
  };
  const items = witness([...how.stack(sign, message), ...tail]);
  tx.updateInput(0, { finalScriptWitness: items.length === 0 ? [...tail] : items }, true);
  return tampered(tx.extract(), (raw) => {
    if (items.length === 0) [raw.witnesses, raw.segwitFlag] = [undefined, false];
    for (const output of raw.outputs) output.amount -= less;
  });
}
