import { SigHash } from '@scure/btc-signer';
import { sameBytes } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import {
  outputsOf,
  ownCoins,
  sum,
  wrongCoinInput,
  wrongLeaf,
  wrongPrevout,
  wrongSighash,
  type Checked,
} from './judge.ts';
import { arkTxid, checkpointOf } from './offchain.ts';
import type { Checkpoint } from './offchain.ts';
import type { CollabRefund, SenderSigns } from './refund-request.ts';
import type { Tx } from '../psbt.ts';
import { anchorScript, outpointOf, readTx, signedBy } from '../psbt.ts';
import { oversizedCollab } from './refund-size.ts';
import { vhtlcScript } from './script.ts';
import type { VhtlcTerms } from './terms.ts';

/**
 * What a provider checks before it signs a client's refund (facts/arkade.md 45). A signature given away for anything
 * but this swap's own coins would spend coins of another swap; one over another leaf could skip a timelock. Whether the
 * swap may be refunded at all is the state machine's question: it closes the swap first.
 */

/**
 * Checks a collaborative refund in the Arkade way: one checkpoint per coin and one Arkade transaction over them.
 * `unrollScript` comes from our own reading of the operator's info, never from the client.
 */
export function checkCollabRefund(
  request: Checked & {
    readonly refund: CollabRefund;
    readonly unrollScript: Uint8Array;
    readonly senderSigns?: SenderSigns;
  },
): string | null {
  const { terms, refund } = request;
  const oversized = oversizedCollab(refund);
  if (oversized) return oversized;
  const script = vhtlcScript(terms);
  const tx = readTx(refund.arkTx);
  if (!tx) return 'the Arkade transaction is not a PSBT';
  if (refund.checkpoints.length === 0) return 'a refund needs at least one checkpoint transaction';
  const own = ownCoins(request);
  const checkpoints = new Map<Txid, Checkpoint>();
  const spent = new Set<string>();
  for (const [n, bytes] of refund.checkpoints.entries()) {
    const what = `checkpoint ${n}`;
    const checkpoint = readTx(bytes);
    if (!checkpoint) return `${what} is not a PSBT`;
    if (checkpoint.inputsLength !== 1) return `${what} has ${checkpoint.inputsLength} inputs, it must have one`;
    const point = outpointOf(checkpoint, 0);
    const key = point ? outpointKey(point) : '';
    const coin = own.get(key);
    const wrong = wrongCoinInput(checkpoint, 0, coin, { script, leaf: 'refund' }, what);
    if (wrong || !coin) return wrong;
    if (coin.recoverable)
      return `the coin of ${what} expired and can only be refunded through a batch: use the delegate refund`;
    if (spent.has(key)) return `${what} spends a coin that another checkpoint spends already`;
    spent.add(key);
    const sighash = wrongSighash(checkpoint, 0, [undefined, SigHash.DEFAULT], what);
    if (sighash) return sighash;
    const expected = checkpointOf(
      { ...coin.outpoint, amount: coin.amount },
      script.leaf.refund.script,
      request.unrollScript,
      0,
    );
    if (checkpoint.id !== expected.txid)
      return (
        `${what} is not the transaction that this coin's refund has: its id is ${checkpoint.id}, expected ` +
        `${expected.txid}`
      );
    if (
      (checkpoint.getInput(0).tapScriptSig ?? []).length > 0 &&
      !signedBy(checkpoint, 0, [{ script: script.pkScript, amount: coin.amount }], script.leaf.refund, terms.sender, [
        SigHash.DEFAULT,
      ])
    )
      return `${what} carries signatures, but not a valid one of the sender`;
    checkpoints.set(expected.txid, expected);
  }
  return wrongArkTx(tx, terms, checkpoints, request.senderSigns ?? 'before');
}

function wrongArkTx(
  tx: Tx,
  terms: VhtlcTerms,
  checkpoints: ReadonlyMap<Txid, Checkpoint>,
  senderSigns: SenderSigns,
): string | null {
  const what = 'the Arkade transaction';
  if (tx.inputsLength !== checkpoints.size)
    return `${what} has ${tx.inputsLength} inputs for ${checkpoints.size} checkpoints, each needs one`;
  const order: Checkpoint[] = [];
  for (let i = 0; i < tx.inputsLength; i++) {
    const point = outpointOf(tx, i);
    const checkpoint = point?.vout === 0 ? checkpoints.get(point.txid) : undefined;
    if (!checkpoint || order.includes(checkpoint))
      return `input ${i} of ${what} does not spend a checkpoint of its own`;
    order.push(checkpoint);
  }
  const prevouts = order.map(({ prevout }) => prevout);
  for (const [i, checkpoint] of order.entries()) {
    const where = `input ${i} of ${what}`;
    const wrong =
      wrongPrevout(tx, i, checkpoint.prevout, where) ??
      wrongLeaf(tx, i, checkpoint.leaf, checkpoint.output.tapTree, where) ??
      wrongSighash(tx, i, [undefined, SigHash.DEFAULT], where);
    if (wrong) return wrong;
    const isUnsigned = (tx.getInput(i).tapScriptSig ?? []).length === 0;
    if (senderSigns === 'after' && isUnsigned) continue;
    if (!signedBy(tx, i, prevouts, checkpoint.leaf, terms.sender, [SigHash.DEFAULT]))
      return `${where} has no valid signature of the sender`;
  }
  const outputs = outputsOf(tx);
  const anchor = outputs?.at(-1);
  if (!outputs || !anchor || !sameBytes(anchor.script, anchorScript) || anchor.amount !== 0n)
    return `${what} must end in an anchor output of no value`;
  const paid = outputs.slice(0, -1);
  if (paid.length === 0) return `${what} pays nobody`;
  if (sum(paid) > sum(prevouts)) return `${what} pays ${sum(paid)} sats out of ${sum(prevouts)}`;
  const expected = arkTxid(
    order.map(({ txid }) => txid),
    paid,
    0,
  );
  return tx.id === expected
    ? null
    : `${what} is not built as the operator builds it: its id is ${tx.id}, expected ${expected}`;
}
