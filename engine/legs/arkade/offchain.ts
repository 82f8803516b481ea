import { hex } from '@scure/base';
import type { Txid } from '../../domain/outpoint.ts';
import type { Prevout } from '../psbt.ts';
import { anchorScript, newTx, type CoinRef } from '../psbt.ts';
import type { Leaf, TapScript } from '../tapscript.ts';
import { tapScript } from '../tapscript.ts';

/** The transaction between a coin and the Arkade transaction that spends it, as operator and owner both rebuild it. */
export interface Checkpoint {
  readonly txid: Txid;
  /** Its output 0: the operator's unroll script beside the leaf that spends the coin. */
  readonly output: TapScript;
  readonly prevout: Prevout;
  /** The spending leaf inside that output. */
  readonly leaf: Leaf;
}

/** Final, and the one below it, which a locktime needs. */
export const finalSequence = 0xffff_ffff;
export const lockedSequence = 0xffff_fffe;

/**
 * The checkpoint of a coin spent by a collaborative leaf (facts/arkade.md 13): version 3, one input, the coin's whole
 * value to {unroll script, same leaf}, an anchor. A pure function, so that nobody has to be believed about it.
 * `locktime` is zero unless the leaf has one.
 */
export function checkpointOf(
  coin: CoinRef,
  leafScript: Uint8Array,
  unrollScript: Uint8Array,
  locktime: number,
): Checkpoint {
  const output = tapScript([unrollScript, leafScript]);
  const tx = newTx({ version: 3, lockTime: locktime });
  tx.addInput({ txid: coin.txid, index: coin.vout, sequence: locktime === 0 ? finalSequence : lockedSequence });
  tx.addOutput({ script: output.pkScript, amount: coin.amount });
  tx.addOutput({ script: anchorScript, amount: 0n });
  const leaf = output.leaves[1];
  if (!leaf) throw new RangeError('a checkpoint has two leaves');
  return { txid: tx.id, output, prevout: { script: output.pkScript, amount: coin.amount }, leaf };
}

/** The id of the Arkade transaction over these checkpoints and outputs; the anchor comes last by itself. */
export function arkTxid(checkpoints: readonly Txid[], outputs: readonly Prevout[], locktime: number): Txid {
  const tx = newTx({ version: 3, lockTime: locktime });
  for (const txid of checkpoints)
    tx.addInput({ txid: hex.decode(txid), index: 0, sequence: locktime === 0 ? finalSequence : lockedSequence });
  for (const output of outputs) tx.addOutput(output);
  tx.addOutput({ script: anchorScript, amount: 0n });
  return tx.id;
}
