import { fromHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { BatchBook } from './batches.ts';
import type { Coin } from './coins.ts';
import { badRequest } from './errors.ts';
import { type Psbt, conditionWitnessOf, outpointOf, parsePsbt, signatureOf, soleLeaf } from './psbt.ts';
import type { OperatorState } from './state.ts';

/**
 * Somebody took a coin to the chain: its ancestry is in the next block, and no output of these transactions that was
 * still unspent moves off chain any more. A coin that was spent already comes out too, as an old owner could try.
 */
export function unroll(state: OperatorState, batches: BatchBook, key: string): void {
  const coin = state.coins.get(key);
  if (coin === undefined) throw badRequest(`no coin ${key} on this operator`);
  const path = ancestry(state, coin);
  const commitments = coin.commitmentTxids.flatMap((txid) => batches.get(txid)?.rawTx ?? []).map(fromHex);
  const onChain = path
    .flatMap((tx) => state.coins.byTxid(tx.id))
    .filter((other) => !other.spent || other.txid === coin.txid);
  state.journal.atomically(() => {
    for (const other of [coin, ...onChain]) state.coins.change(outpointKey(other), { unrolled: true });
    state.chain?.include([...commitments, ...path.map(withWitnesses)]);
  });
}

/** Marks what its owners brought to the chain without asking: the operator follows the blocks too. */
export function noticeUnrolled(state: OperatorState): void {
  const brought = [...state.coins.all()].filter(
    (coin) => !coin.spent && !coin.unrolled && (state.chain?.coin(coin)?.height ?? null) !== null,
  );
  if (brought.length === 0) return;
  state.journal.atomically(() => {
    for (const coin of brought) state.coins.change(outpointKey(coin), { unrolled: true });
  });
}

/** From the root down to the coin's own transaction. */
function ancestry(state: OperatorState, coin: Coin): Psbt[] {
  const ancestors = new Map<string, Psbt>();
  function visit(txid: string): void {
    const text = ancestors.has(txid) ? undefined : state.txs.virtual(txid);
    if (text === undefined) return;
    const tx = parsePsbt(text);
    for (let i = 0; i < tx.inputsLength; i++) visit(outpointOf(tx, i)?.txid ?? '');
    ancestors.set(txid, tx);
  }
  visit(coin.txid);
  return [...ancestors.values()];
}

/** The transaction as the chain wants it. */
function withWitnesses(tx: Psbt): Uint8Array {
  for (let i = 0; i < tx.inputsLength; i++) tx.updateInput(i, { finalScriptWitness: witnessOf(tx, i) }, true);
  return tx.extract();
}

/** The stack of an input that was accepted: its signatures, its condition, its leaf and the way to it. */
export function witnessOf(tx: Psbt, index: number): Uint8Array[] {
  const { tapKeySig } = tx.getInput(index);
  if (tapKeySig !== undefined) return [tapKeySig];
  const spending = soleLeaf(tx, index);
  const leaf = spending?.leaf ?? null;
  if (spending === null || leaf === null) throw new Error(`input ${index} of ${tx.id} was accepted without a leaf`);
  const signatures = leaf.keys.map((key) => signatureOf(tx, index, key) ?? new Uint8Array()).reverse();
  const condition = leaf.condition === null ? [] : conditionWitnessOf(tx, index);
  const [{ version, internalKey, merklePath }, script] = spending.proof;
  return [
    ...signatures,
    ...condition,
    script.subarray(0, -1),
    Uint8Array.of(version, ...internalKey, ...merklePath.flatMap((node) => [...node])),
  ];
}
