import { SigHash } from '@scure/btc-signer';
import { TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import type { Exit } from './exit.ts';
import type { CoinRef } from '../psbt.ts';
import { type ChainInput, dust, leafWitness, signatureLength, unsigned } from '../leaf-spend.ts';
import type { Leaf } from '../tapscript.ts';

/** A coin of ours on the chain, and the leaf of its script that wants nobody's signature but ours. */
export interface SweepInput extends ChainInput {
  readonly leaf: Leaf;
}

/**
 * Spends coins of ours on the chain by our own leaf, all into one output (facts/arkade.md 46). Valid once the delay of
 * each has passed; may be replaced (BIP 125). A coin that is worth less than twice what its own input costs is left
 * out, and the fee is never more than half of what is swept: null says that nothing is worth it at one sat per virtual
 * byte.
 */
export function buildSweep(request: {
  inputs: readonly SweepInput[];
  to: Uint8Array;
  feeRate: number;
  sign: (message: Uint8Array) => Uint8Array;
}): (Exit & { readonly coins: readonly CoinRef[] }) | null {
  const { to, sign } = request;
  const rate = Math.max(1, request.feeRate);
  const one = request.inputs[0] === undefined ? 0 : sizeOf([request.inputs[0]], to) - sizeOf([], to);
  // At the floor rate at least, so that a spike of fees makes a small coin wait and not the rest with it.
  const inputs = request.inputs
    .filter(({ coin }) => coin.amount >= 2n * BigInt(Math.ceil(one * rate)))
    .sort((a, b) => (a.coin.amount < b.coin.amount ? 1 : -1));
  const total = inputs.reduce((sum, { coin }) => sum + coin.amount, 0n);
  const size = sizeOf(inputs, to);
  const most = total / 2n;
  if (inputs.length === 0 || most < BigInt(size) || total - most < dust) return null;
  const wanted = BigInt(Math.ceil(rate * size));
  const fee = wanted < most ? wanted : most;
  const tx = unsigned(inputs, { script: to, amount: total - fee });
  const scripts = inputs.map(({ pkScript }) => pkScript);
  const amounts = inputs.map(({ coin }) => coin.amount);
  const witnesses = inputs.map(({ leaf }, i) =>
    leafWitness(leaf, [
      sign(tx.preimageWitnessV1(i, scripts, SigHash.DEFAULT, amounts, undefined, leaf.script, TAP_LEAF_VERSION)),
    ]),
  );
  for (const [i, finalScriptWitness] of witnesses.entries()) tx.updateInput(i, { finalScriptWitness }, true);
  return {
    txid: tx.id,
    bytes: tx.extract(),
    rate: Number(fee) / size,
    capped: fee === most,
    coins: inputs.map(({ coin }) => coin),
  };
}

/** In virtual bytes: version, locktime, counts and output, then 41 bytes and a witness for each input. */
function sizeOf(inputs: readonly SweepInput[], to: Uint8Array): number {
  const base = 4 + 4 + 1 + 1 + 8 + 1 + to.length + 41 * inputs.length;
  const witnesses = inputs.reduce(
    (sum, { leaf }) =>
      sum +
      1 +
      leafWitness(leaf, [new Uint8Array(signatureLength)]).reduce((bytes, item) => bytes + 1 + item.length, 0),
    2,
  );
  return Math.ceil((base * 4 + witnesses) / 4);
}
