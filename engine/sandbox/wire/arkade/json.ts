import type { Coin } from '../../world/arkade/coins.ts';
import type { OperatorError } from '../../world/arkade/errors.ts';
import type { ScriptEvent, TransactionNotice } from '../../world/arkade/subscriptions.ts';

/** A coin as the indexer prints it. */
export function coinJson(coin: Coin): Record<string, unknown> {
  return {
    outpoint: { txid: coin.txid, vout: coin.vout },
    createdAt: String(coin.createdAt),
    expiresAt: String(coin.expiresAt),
    amount: String(coin.amount),
    script: coin.script,
    isPreconfirmed: coin.preconfirmed,
    isSwept: coin.swept,
    isUnrolled: coin.unrolled,
    isSpent: coin.spent,
    spentBy: coin.spentBy,
    commitmentTxids: coin.commitmentTxids,
    settledBy: coin.settledBy,
    arkTxid: coin.arkTxid,
    assets: [],
    depth: coin.depth,
  };
}

export function scriptEventJson(event: ScriptEvent): Record<string, unknown> {
  return {
    event: {
      txid: event.txid,
      scripts: event.scripts,
      newVtxos: event.newVtxos.map(coinJson),
      spentVtxos: event.spentVtxos.map(coinJson),
      tx: event.tx,
      checkpointTxs: event.checkpointTxs,
      sweptVtxos: [],
    },
  };
}

export function noticeJson(notice: TransactionNotice): Record<string, unknown> {
  return {
    [notice.kind]: {
      txid: notice.txid,
      tx: notice.tx,
      spentVtxos: notice.spentVtxos.map(coinJson),
      spendableVtxos: notice.spendableVtxos.map(coinJson),
      checkpointTxs: notice.checkpointTxs,
      sweptVtxos: notice.sweptVtxos,
    },
  };
}

const httpStatus: Readonly<Record<number, number>> = {
  2: 500,
  3: 400,
  5: 404,
  6: 409,
  9: 400,
  12: 501,
  13: 500,
  14: 503,
};

export function errorJson(error: OperatorError): { status: number; body: Record<string, unknown> } {
  const { grpc, detail, message } = error;
  const details =
    detail === null
      ? []
      : [
          {
            '@type': 'type.googleapis.com/ark.v1.ErrorDetails',
            code: detail.code,
            name: detail.name,
            message,
            metadata: detail.metadata,
          },
        ];
  return { status: httpStatus[grpc] ?? 500, body: { code: grpc, message, details } };
}
