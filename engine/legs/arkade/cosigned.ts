import { SigHash } from '@scure/btc-signer';
import type { CollabRefund } from './refund-request.ts';
import type { Vtxo } from './vtxo.ts';
import { readTx, signedBy } from '../psbt.ts';
import { vhtlcScript } from './script.ts';
import type { VhtlcTerms } from './terms.ts';

/**
 * What is wrong with the receiver's half of our refund of `coin`, or null. An operator looks at the signatures of a
 * checkpoint only after it has accepted the transaction: one that the receiver left unsigned, by mistake or on purpose,
 * would strand the coin for good (facts/arkade.md 18). So nothing is submitted before it was checked here.
 */
export function wrongCosignature(refund: {
  terms: VhtlcTerms;
  coin: Vtxo;
  own: CollabRefund;
  answer: CollabRefund;
}): string | null {
  const { terms, coin, own, answer } = refund;
  const script = vhtlcScript(terms);
  const ownTx = readTx(own.arkTx);
  if (ownTx === null || readTx(answer.arkTx)?.id !== ownTx.id)
    return 'it is another transaction than the one we asked for';
  if (answer.checkpoints.length !== own.checkpoints.length)
    return 'it has another number of checkpoints than we asked for';
  const answered = new Map(answer.checkpoints.map((bytes) => readTx(bytes)).map((tx) => [tx?.id, tx]));
  for (const bytes of own.checkpoints) {
    const tx = answered.get(readTx(bytes)?.id);
    if (tx === null || tx === undefined) return 'it lacks a checkpoint that we asked for';
    const prevout = { script: script.pkScript, amount: coin.amount };
    if (!signedBy(tx, 0, [prevout], script.leaf.refund, terms.receiver, [SigHash.DEFAULT]))
      return 'a checkpoint lacks a valid signature of the provider';
  }
  return null;
}
