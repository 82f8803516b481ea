import { randomBytes } from 'node:crypto';
import { Transaction } from '@arkade-os/sdk';
import { toHex } from '../../../domain/hex.ts';
import { type LeafPlan, batchOutput, sweepRoot } from './batch-tree.ts';
import type { Intent } from './intents.ts';
import type { Output, Psbt } from './psbt.ts';
import type { OperatorState } from './state.ts';

export interface Commitment {
  readonly tx: Psbt;
  readonly leaves: readonly LeafPlan[];
  /** Index of the connector output, null when no coin needs a forfeit. */
  readonly connectorVout: number | null;
  readonly connectorScript: Uint8Array;
}

/** The operator's chain coins are played: each commitment spends a coin of its wallet that nothing else ever saw. */
export const walletCoin = 5_000_000_000n;
const fee = 396n;

/**
 * The transaction that a batch hangs on: the tree first, the connectors second, on-chain payments and change after.
 * Without a tree an on-chain payment takes its place, so that connectors are always the second output.
 */
export function buildCommitment(state: OperatorState, intents: readonly Intent[], forfeits: number): Commitment {
  const root = sweepRoot(state.settings, state.keys);
  const leaves = intents.filter((intent) => intent.offchain.length > 0).map((intent) => ({ users: intent.cosigners, outputs: intent.offchain }));
  const shared = batchOutput(leaves, state.keys.tree.publicKey, root);
  const { wallet } = state.keys;
  const connectors: Output[] = forfeits === 0 ? [] : [{ script: wallet.script, amount: BigInt(forfeits * state.settings.dust) }];
  const [first, ...rest] = [...(shared === null ? [] : [shared]), ...intents.flatMap((intent) => intent.onchain)];
  const outputs = [...(first === undefined ? [] : [first]), ...connectors, ...rest];
  const spent = outputs.reduce((sum, output) => sum + output.amount, 0n);

  const tx = new Transaction({ version: 2 });
  const value = walletCoin + spent;
  tx.addInput({ txid: toHex(randomBytes(32)), index: 0, witnessUtxo: { script: wallet.script, amount: value } });
  for (const output of outputs) tx.addOutput({ script: output.script, amount: output.amount });
  tx.addOutput({ script: wallet.script, amount: value - spent - fee });
  return { tx, leaves, connectorVout: connectors.length === 0 ? null : 1, connectorScript: wallet.script };
}

/** The signed transaction, raw hex. */
export function signCommitment(state: OperatorState, commitment: Commitment): string {
  const tx = Transaction.fromPSBT(commitment.tx.toPSBT());
  tx.updateInput(0, { tapInternalKey: state.keys.wallet.xOnly });
  tx.sign(state.keys.wallet.secret);
  tx.finalize();
  return tx.hex;
}
