import { fromHex, toHex } from '../../../domain/hex.ts';
import { sats } from '../../../domain/money.ts';
import type { BatchBook } from './batches.ts';
import type { ConnectorNode, TreeNode } from './batch-tree.ts';
import { type Coin, settledCoin } from './coins.ts';
import { type Commitment, signCommitment } from './commitment.ts';
import type { Forfeit } from './forfeits.ts';
import type { Intent } from './intent.ts';
import { type Psbt, printPsbt } from './psbt.ts';
import type { OperatorState } from './state.ts';

/** What a round has come to when nothing can stop it any more. */
export interface FinishedRound {
  readonly id: string;
  readonly startedAt: number;
  readonly intents: readonly Intent[];
  readonly forfeits: ReadonlyMap<string, Forfeit>;
  readonly boarded: ReadonlyMap<string, Psbt>;
}

export interface RecordedBatch {
  readonly commitmentTxid: string;
  readonly rawTx: string;
  readonly spent: readonly Coin[];
  readonly created: readonly Coin[];
}

/** Signs the commitment transaction and writes everything that follows from it, together or not at all. */
export function recordBatch(
  state: OperatorState,
  batches: BatchBook,
  round: FinishedRound,
  commitment: Commitment,
  tree: readonly TreeNode[],
  connectors: readonly ConnectorNode[],
): RecordedBatch {
  const now = state.clock.now();
  const expiresAt = now + state.settings.vtxoExpiry;
  const commitmentTxid = commitment.tx.id;
  const rawTx = signCommitment(state, commitment, round.boarded);
  const leaves = tree.filter(({ children }) => Object.keys(children).length === 0);
  return state.journal.atomically(() => {
    const spent = round.intents
      .flatMap(({ inputs }) => inputs)
      .map((key) => {
        const forfeit = round.forfeits.get(key);
        if (forfeit !== undefined) state.txs.putVirtual(forfeit.tx.id, forfeit.text);
        return state.coins.change(key, { spent: true, spentBy: forfeit?.tx.id ?? '', settledBy: commitmentTxid });
      });
    state.chain?.include([fromHex(rawTx)]);
    for (const { tx } of [...tree, ...connectors]) state.txs.putVirtual(tx.id, printPsbt(tx));
    const created = leaves.flatMap(({ tx }, i) =>
      (commitment.leaves[i]?.outputs ?? []).map(({ amount, script }, vout) =>
        state.coins.add(
          settledCoin({
            txid: tx.id,
            vout,
            amount: sats(amount),
            script: toHex(script),
            createdAt: now,
            expiresAt,
            commitmentTxid,
          }),
        ),
      ),
    );
    batches.put({
      commitmentTxid,
      roundId: round.id,
      rawTx,
      startedAt: round.startedAt,
      endedAt: now,
      expiresAt,
      expiry: state.settings.vtxoExpiry,
      sharedKey: tree[0] === undefined ? null : toHex(tree[0].cosigners.innerKey),
      sweptBy: [],
      tree: tree.map(({ tx, children }) => ({ txid: tx.id, children })),
      leaves: created.map(({ txid, vout }) => ({ txid, vout })),
      connectors: connectors.map(({ tx, children }) => ({ txid: tx.id, children })),
      forfeitTxids: [...round.forfeits.values()].map(({ tx }) => tx.id),
      totalInputAmount: total(spent),
      totalInputVtxos: spent.length,
      totalOutputAmount: total(created),
      totalOutputVtxos: created.length,
    });
    return { commitmentTxid, rawTx, spent, created };
  });
}

function total(coins: readonly Coin[]): string {
  return coins.reduce((sum, { amount }) => sum + amount, 0n).toString();
}
