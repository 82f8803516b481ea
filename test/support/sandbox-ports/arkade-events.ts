import { type SettlementEvent, SettlementEventType, type VirtualCoin } from '@arkade-os/sdk';
import { fromHex } from '../../../engine/domain/hex.ts';
import type { BatchEvent } from '../../../engine/sandbox/world/arkade/batch-events.ts';
import type { Coin } from '../../../engine/sandbox/world/arkade/coins.ts';

/** A batch event as the SDK hands it on; null for those that it keeps to itself. */
export function settlementEvent(event: BatchEvent): SettlementEvent | null {
  if ('streamStarted' in event) return { type: SettlementEventType.StreamStarted, ...event.streamStarted };
  if ('batchStarted' in event) {
    const { id, intentIdHashes, batchExpiry } = event.batchStarted;
    return {
      type: SettlementEventType.BatchStarted,
      id,
      intentIdHashes: [...intentIdHashes],
      batchExpiry: BigInt(batchExpiry),
    };
  }
  if ('treeTx' in event) {
    const { id, topic, batchIndex, txid, tx, children } = event.treeTx;
    const byIndex = Object.fromEntries(Object.entries(children).map(([index, child]) => [Number(index), child]));
    return {
      type: SettlementEventType.TreeTx,
      id,
      topic: [...topic],
      batchIndex,
      chunk: { txid, tx, children: byIndex },
    };
  }
  if ('treeSigningStarted' in event) {
    const { id, cosignersPubkeys, unsignedCommitmentTx } = event.treeSigningStarted;
    return {
      type: SettlementEventType.TreeSigningStarted,
      id,
      cosignersPublicKeys: [...cosignersPubkeys],
      unsignedCommitmentTx,
    };
  }
  if ('treeNonces' in event) {
    const { id, topic, txid, nonces } = event.treeNonces;
    const decoded = new Map(Object.entries(nonces).map(([key, nonce]) => [key, { pubNonce: fromHex(nonce) }]));
    return { type: SettlementEventType.TreeNonces, id, topic: [...topic], txid, nonces: decoded };
  }
  if ('treeNoncesAggregated' in event) return null;
  if ('treeSignature' in event)
    return { type: SettlementEventType.TreeSignature, ...event.treeSignature, topic: [...event.treeSignature.topic] };
  if ('batchFinalization' in event) return { type: SettlementEventType.BatchFinalization, ...event.batchFinalization };
  if ('batchFinalized' in event) return { type: SettlementEventType.BatchFinalized, ...event.batchFinalized };
  return { type: SettlementEventType.BatchFailed, ...event.batchFailed };
}

/** A coin as the SDK's indexer returns it. */
export function virtualCoin(coin: Coin): VirtualCoin {
  const commitmentTxIds = [...coin.commitmentTxids];
  const expiresAt = new Date(coin.expiresAt * 1_000);
  const state = coin.spent ? 'spent' : coin.swept ? 'swept' : coin.preconfirmed ? 'preconfirmed' : 'settled';
  return {
    txid: coin.txid,
    vout: coin.vout,
    value: Number(coin.amount),
    status: { confirmed: !coin.swept && !coin.preconfirmed, isLeaf: !coin.preconfirmed },
    isSpent: coin.spent,
    isSwept: coin.swept,
    isPreconfirmed: coin.preconfirmed,
    commitmentTxIds,
    expiresAt,
    virtualStatus: { state, commitmentTxIds, batchExpiry: expiresAt.getTime() },
    spentBy: coin.spentBy,
    settledBy: coin.settledBy,
    arkTxId: coin.arkTxid,
    createdAt: new Date(coin.createdAt * 1_000),
    isUnrolled: coin.unrolled,
    script: coin.script,
    assets: [],
  };
}
