import {
  type ArkInfo,
  type ArkProvider,
  type ChainTxType,
  DigestMismatchError,
  type IndexerProvider,
  Intent,
  type SettlementEvent,
  type SubscriptionResponse,
} from '@arkade-os/sdk';
import { toHex } from '../../../engine/domain/hex.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { OperatorError } from '../../../engine/sandbox/world/arkade/errors.ts';
import { type CoinFilter, type Page, paged } from '../../../engine/sandbox/world/arkade/indexer.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import type { InfoBody } from '../../../engine/sandbox/world/arkade/settings.ts';
import type { TransactionNotice } from '../../../engine/sandbox/world/arkade/subscriptions.ts';
import { coinJson } from '../../../engine/sandbox/wire/arkade/json.ts';
import { settlementEvent, virtualCoin } from './arkade-events.ts';
import { asSdk } from './arkade-errors.ts';
import { connectionEnded, eventQueue } from './event-queue.ts';

/** An `ArkProvider` straight on the operator, with the REST provider's errors and its digest handshake. */
export interface LocalArkProvider extends ArkProvider {
  onServerInfoChanged(listener: (info: ArkInfo) => void): () => void;
  getIntents(intent: { proof: string; message: string }): Promise<{ proof: string; message: string }[]>;
}

export function arkProviderOf(operator: Operator): LocalArkProvider {
  const listeners = new Set<(info: ArkInfo) => void>();
  let digest = '';

  async function getInfo(): Promise<ArkInfo> {
    const body = await asSdk('arkade', 'Failed to get server info', () => operator.info());
    digest = body.digest;
    return arkInfo(body);
  }
  async function post<T>(what: string, call: () => T): Promise<T> {
    try {
      return await asSdk('arkade', what, () => {
        if (digest !== '') operator.checkDigest(digest);
        return call();
      });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'DIGEST_MISMATCH') throw error;
      digest = '';
      const info = await getInfo();
      for (const listener of listeners) listener(info);
      throw new DigestMismatchError(
        'Arkade server reported a configuration digest mismatch; rebuild and retry under the new server info.',
      );
    }
  }
  const signed = (intent: { proof: string; message: Intent.Message }) => ({
    proof: intent.proof,
    message: Intent.encodeMessage(intent.message),
  });

  return {
    getInfo,
    onServerInfoChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    submitTx: (signedArkTx, checkpointTxs) =>
      post('Failed to submit virtual transaction', () => {
        const reply = operator.submit(signedArkTx, checkpointTxs);
        return { ...reply, signedCheckpointTxs: [...reply.signedCheckpointTxs] };
      }),
    finalizeTx: (arkTxid, finals) =>
      post('Failed to finalize offchain transaction', () => operator.finalize(arkTxid, finals)),
    registerIntent: (intent) => post('Failed to register intent', () => operator.registerIntent(signed(intent))),
    deleteIntent: (intent) => post('Failed to delete intent', () => operator.deleteIntent(signed(intent))),
    getIntents: (intent) => post('Failed to get intents', () => operator.getIntents(intent)),
    confirmRegistration: (intentId) => post('Failed to confirm registration', () => operator.ack(intentId)),
    submitTreeNonces: (batchId, pubkey, nonces) =>
      post('Failed to submit tree nonces', () =>
        operator.nonces(
          batchId,
          pubkey,
          mapped(nonces, (nonce) => toHex(nonce.pubNonce)),
        ),
      ),
    submitTreeSignatures: (batchId, pubkey, signatures) =>
      post('Failed to submit tree signatures', () =>
        operator.signatures(
          batchId,
          pubkey,
          mapped(signatures, (each) => toHex(each.encode())),
        ),
      ),
    submitSignedForfeitTxs: (forfeits, commitment) =>
      post('Failed to submit forfeit transactions', () => operator.forfeits(forfeits, commitment)),
    getEventStream: (signal, topics) =>
      eventQueue<SettlementEvent>(signal, (push, fail) =>
        openOr(fail, () => {
          operator.checkDigest('');
          return operator.batchEvents(topics, {
            event(event) {
              const settlement = settlementEvent(event);
              if (settlement !== null) push(settlement);
            },
            end: () => fail(connectionEnded()),
          });
        }),
      ),
    getTransactionsStream: (signal) =>
      eventQueue(signal, (push, fail) =>
        openOr(fail, () => operator.transactions((notice) => push({ [notice.kind]: noticeOf(notice) }))),
      ),
    getPendingTxs: (intent) =>
      post('Failed to get pending transactions', () =>
        operator.pending(signed(intent)).map((tx) => ({ ...tx, signedCheckpointTxs: [...tx.signedCheckpointTxs] })),
      ),
  };
}

function mapped<T>(map: Map<string, T>, text: (value: T) => string): Record<string, string> {
  return Object.fromEntries([...map].map(([key, value]) => [key, text(value)]));
}

/** A stream that cannot be opened fails like one that was cut. */
function openOr(fail: (error: Error) => void, open: () => () => void): () => void {
  try {
    return open();
  } catch (error) {
    fail(Object.assign(connectionEnded(), { cause: error }));
    return () => undefined;
  }
}

type Notice = NonNullable<
  Awaited<ReturnType<ReturnType<ArkProvider['getTransactionsStream']>['next']>>['value']['arkTx']
>;

function noticeOf(notice: TransactionNotice): Notice {
  const { txid, tx, spentVtxos, spendableVtxos, checkpointTxs } = notice;
  const coins = (list: TransactionNotice['spentVtxos']) => list.map(coinJson) as unknown as Notice['spentVtxos'];
  return {
    txid,
    tx,
    spentVtxos: coins(spentVtxos),
    spendableVtxos: coins(spendableVtxos),
    checkpointTxs: { ...checkpointTxs },
  };
}

function arkInfo(body: InfoBody): ArkInfo {
  return {
    boardingExitDelay: BigInt(body.boardingExitDelay),
    checkpointTapscript: body.checkpointTapscript,
    deprecatedSigners: body.deprecatedSigners.map(({ pubkey, cutoffDate }) => ({
      pubkey,
      cutoffDate: BigInt(cutoffDate),
    })),
    digest: body.digest,
    dust: BigInt(body.dust),
    fees: body.fees,
    forfeitAddress: body.forfeitAddress,
    forfeitPubkey: body.forfeitPubkey,
    network: body.network,
    serviceStatus: body.serviceStatus,
    sessionDuration: BigInt(body.sessionDuration),
    signerPubkey: body.signerPubkey,
    unilateralExitDelay: BigInt(body.unilateralExitDelay),
    utxoMaxAmount: BigInt(body.utxoMaxAmount),
    utxoMinAmount: BigInt(body.utxoMinAmount),
    version: body.version,
    vtxoMaxAmount: BigInt(body.vtxoMaxAmount),
    vtxoMinAmount: BigInt(body.vtxoMinAmount),
  };
}

interface Paging {
  readonly pageIndex?: number | undefined;
  readonly pageSize?: number | undefined;
}

function cut<T>(rows: readonly T[], options: Paging | undefined): { rows: T[]; page?: Page } {
  const requestedPage =
    options?.pageIndex === undefined && options?.pageSize === undefined
      ? null
      : { index: options.pageIndex ?? 0, size: options.pageSize ?? 0 };
  const { rows: part, page } = paged(rows, requestedPage);
  return { rows: [...part], ...(page === null ? {} : { page }) };
}

/** An `IndexerProvider` straight on the operator. */
export function indexerProviderOf(operator: Operator): IndexerProvider {
  const { indexer } = operator;
  const treeRows = (rows: readonly { txid: string; children: Readonly<Record<string, string>> }[]) =>
    rows.map(({ txid, children }) => ({
      txid,
      children: Object.fromEntries(Object.entries(children).map(([i, child]) => [Number(i), child])),
    }));

  return {
    getVtxoTree: (batch, options) =>
      asSdk('indexer', 'Failed to fetch vtxo tree', () => {
        const { rows, ...page } = cut(treeRows(indexer.tree(batch.txid)), options);
        return { vtxoTree: rows, ...page };
      }),
    getVtxoTreeLeaves: (batch, options) =>
      asSdk('indexer', 'Failed to fetch vtxo tree leaves', () => {
        const { rows, ...page } = cut(indexer.leaves(batch.txid), options);
        return { leaves: rows, ...page };
      }),
    getBatchSweepTransactions: (batch) =>
      asSdk('indexer', 'Failed to fetch batch sweep transactions', () => ({
        sweptBy: [...indexer.sweepTxids(batch.txid)],
      })),
    getCommitmentTx: (txid) =>
      asSdk('indexer', 'Failed to fetch commitment tx', () => {
        const {
          startedAt,
          endedAt,
          expiresAt,
          sweptBy,
          totalInputAmount,
          totalInputVtxos,
          totalOutputAmount,
          totalOutputVtxos,
        } = indexer.commitment(txid);
        const totals = { totalInputAmount, totalInputVtxos, totalOutputAmount, totalOutputVtxos };
        const batch = { totalOutputAmount, totalOutputVtxos, expiresAt: String(expiresAt), swept: sweptBy.length > 0 };
        return { startedAt: String(startedAt), endedAt: String(endedAt), batches: { '0': batch }, ...totals };
      }),
    getCommitmentTxConnectors: (txid, options) =>
      asSdk('indexer', 'Failed to fetch connectors', () => {
        const { rows, ...page } = cut(treeRows(indexer.connectors(txid)), options);
        return { connectors: rows, ...page };
      }),
    getCommitmentTxForfeitTxs: (txid, options) =>
      asSdk('indexer', 'Failed to fetch forfeit txs', () => {
        const { rows, ...page } = cut(indexer.forfeitTxids(txid), options);
        return { txids: rows, ...page };
      }),
    getSubscription: (id, signal) => subscription(operator, id, signal),
    getVirtualTxs: (txids, options) =>
      asSdk('indexer', 'Failed to fetch virtual txs', () => {
        const { rows, ...page } = cut(indexer.virtualTxs(txids), options);
        return { txs: rows, ...page };
      }),
    getVtxoChain: (outpoint, options) =>
      asSdk('indexer', 'Failed to fetch vtxo chain', () => {
        const chain = indexer
          .chain(outpoint.txid, outpoint.vout)
          .map((row) => ({ ...row, type: row.type as ChainTxType, spends: [...row.spends] }));
        const { rows, ...page } = cut(chain, options);
        return { chain: rows, ...page };
      }),
    async getVtxos(options) {
      const { scripts = [], outpoints = [], after, before } = options ?? {};
      if (scripts.length > 0 && outpoints.length > 0)
        throw new Error('scripts and outpoints are mutually exclusive options');
      if (scripts.length === 0 && outpoints.length === 0)
        throw new Error('Either scripts or outpoints must be provided');
      const chosenFilters = filterNames.filter(([name]) => options?.[name] === true);
      if (chosenFilters.length > 1) throw new Error('the state filters are mutually exclusive options');
      const filter = chosenFilters[0]?.[1];
      return asSdk('indexer', 'Failed to fetch vtxos', () => {
        const coins = indexer.coins({
          scripts,
          outpoints: outpoints.map(outpointKey),
          ...(filter === undefined ? {} : { filter }),
          ...(after === undefined ? {} : { after }),
          ...(before === undefined ? {} : { before }),
        });
        const { rows, ...page } = cut(coins.map(virtualCoin), options);
        return { vtxos: rows, ...page };
      });
    },
    getAssetDetails: (assetId) =>
      asSdk('indexer', 'Failed to fetch asset details', () => {
        throw new OperatorError(13, `asset ${assetId} not found`);
      }),
    subscribeForScripts: (scripts, id) =>
      asSdk('indexer', 'Failed to subscribe to scripts', () => {
        if (scripts.length === 0) throw new OperatorError(3, 'missing scripts');
        return operator.subscribe(scripts, id);
      }),
    async unsubscribeForScripts(id, scripts) {
      try {
        await asSdk('indexer', 'Failed to unsubscribe to scripts', () => operator.unsubscribe(id, scripts));
      } catch (error) {
        // An unknown subscription has nothing to leave; the REST provider says no more than that either.
        if (!(error instanceof Error) || !(error.cause instanceof OperatorError)) throw error;
      }
    },
  };
}

const filterNames = [
  ['spendableOnly', 'spendable'],
  ['spentOnly', 'spent'],
  ['recoverableOnly', 'recoverable'],
  ['pendingOnly', 'pending'],
  ['renewableOnly', 'renewable'],
] as const satisfies readonly (readonly [string, CoinFilter])[];

function subscription(
  operator: Operator,
  id: string,
  signal: AbortSignal,
): AsyncIterableIterator<SubscriptionResponse> {
  return eventQueue<SubscriptionResponse>(signal, (push, fail) =>
    openOr(fail, () =>
      operator.attach(id, {
        event: ({ txid, scripts, newVtxos, spentVtxos, tx, checkpointTxs }) =>
          push({
            txid,
            scripts: [...scripts],
            newVtxos: newVtxos.map(virtualCoin),
            spentVtxos: spentVtxos.map(virtualCoin),
            sweptVtxos: [],
            tx,
            checkpointTxs: { ...checkpointTxs },
          }),
        end: () => fail(connectionEnded()),
      }),
    ),
  );
}
