import type { Txid } from '../../domain/outpoint.ts';
import { prevoutsOf, readTx } from '../psbt.ts';

/**
 * The scripts of what an Arkade transaction spends: checkpoint outputs, each made of one key's leaf and the operator's
 * own terms, so that a wallet has the same one for as long as both stay (facts/arkade.md 14). The operator took the
 * transaction with the signatures of these keys, and no other can bring them: whoever pays with them again is who paid
 * with them before. Empty where the bytes are not of this id.
 */
export function payersIn(psbt: Uint8Array, txid: Txid): readonly Uint8Array[] {
  const tx = readTx(psbt);
  if (tx === null || tx.id !== txid) return [];
  return prevoutsOf(tx)?.map(({ script }) => script) ?? [];
}
