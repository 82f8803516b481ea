import { randomBytes } from 'node:crypto';
import { Transaction } from '@arkade-os/sdk';
import { toHex } from '../../../domain/hex.ts';
import { type BoardingInput, signBoarding } from './boarding.ts';
import { type LeafPlan, batchOutput, sweepRoot } from './batch-tree.ts';
import type { Intent } from './intent.ts';
import type { Output, Psbt } from './psbt.ts';
import type { OperatorState } from './state.ts';

export interface Commitment {
  readonly tx: Psbt;
  readonly leaves: readonly LeafPlan[];
  /** Index of the connector output, null when no coin needs a forfeit. */
  readonly connectorVout: number | null;
  readonly connectorScript: Uint8Array;
  readonly boarding: readonly BoardingInput[];
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
  const leaves = intents
    .filter((intent) => intent.offchain.length > 0)
    .map((intent) => ({ users: intent.cosigners, outputs: intent.offchain }));
  const shared = batchOutput(leaves, state.keys.tree.publicKey, root);
  const { wallet } = state.keys;
  const connectors: Output[] =
    forfeits === 0 ? [] : [{ script: wallet.script, amount: BigInt(forfeits * state.settings.dust) }];
  const [first, ...rest] = [...(shared === null ? [] : [shared]), ...intents.flatMap((intent) => intent.onchain)];
  const outputs = [...(first === undefined ? [] : [first]), ...connectors, ...rest];
  const spent = outputs.reduce((sum, output) => sum + output.amount, 0n);

  const tx = new Transaction({ version: 2 });
  const value = walletCoin + spent;
  tx.addInput({ txid: toHex(randomBytes(32)), index: 0, witnessUtxo: { script: wallet.script, amount: value } });
  const boarding = intents.flatMap((intent) => intent.boarding);
  for (const { outpoint, prevout } of boarding)
    tx.addInput({ txid: outpoint.txid, index: outpoint.vout, witnessUtxo: prevout });
  const boarded = boarding.reduce((sum, { prevout }) => sum + prevout.amount, 0n);
  for (const output of outputs) tx.addOutput({ script: output.script, amount: output.amount });
  tx.addOutput({ script: wallet.script, amount: value + boarded - spent - fee });
  return { tx, leaves, connectorVout: connectors.length === 0 ? null : 1, connectorScript: wallet.script, boarding };
}

/** The signed transaction, raw hex. `boarded`: what the owners of the boarding coins signed, by coin. */
export function signCommitment(
  state: OperatorState,
  commitment: Commitment,
  boarded: ReadonlyMap<string, Psbt>,
): string {
  const tx = Transaction.fromPSBT(commitment.tx.toPSBT());
  tx.updateInput(0, { tapInternalKey: state.keys.wallet.xOnly });
  tx.signIdx(state.keys.wallet.secret, 0);
  tx.finalizeIdx(0);
  for (const input of commitment.boarding) signBoarding(state, tx, input, boarded.get(input.key) as Psbt);
  return tx.hex;
}
