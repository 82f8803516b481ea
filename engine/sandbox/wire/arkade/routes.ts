import { badRequest, OperatorError } from '../../world/arkade/errors.ts';
import { type CoinFilter, type CoinQuery, paged } from '../../world/arkade/indexer.ts';
import type { Operator } from '../../world/arkade/operator.ts';
import { coinJson } from './json.ts';
import type { Body } from './request.ts';

/** What a route gets: the groups of its path, the query, the body. */
export interface Call {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Body;
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  answer(operator: Operator, call: Call): unknown;
}

const txid = '([^/]+)';

export const routes: readonly Route[] = [
  { method: 'GET', path: /^\/v1\/info$/, answer: (operator) => operator.info() },
  {
    method: 'POST',
    path: /^\/v1\/tx\/submit$/,
    answer: (operator, { body }) => operator.submit(body.text('signedArkTx'), body.texts('checkpointTxs')),
  },
  {
    method: 'POST',
    path: /^\/v1\/tx\/finalize$/,
    answer: (operator, { body }) => done(operator.finalize(body.text('arkTxid'), body.texts('finalCheckpointTxs'))),
  },
  {
    method: 'POST',
    path: /^\/v1\/tx\/pending$/,
    answer: (operator, { body }) => ({ pendingTxs: operator.pending(body.intent()) }),
  },
  {
    method: 'POST',
    path: /^\/v1\/batch\/registerIntent$/,
    answer: (operator, { body }) => ({ intentId: operator.registerIntent(body.intent()) }),
  },
  {
    method: 'POST',
    path: /^\/v1\/batch\/deleteIntent$/,
    answer: (operator, { body }) => done(operator.deleteIntent(body.intent())),
  },
  {
    method: 'POST',
    path: /^\/v1\/batch\/estimateFee$/,
    answer: (operator, { body }) => ({ fee: String(operator.estimateFee(body.intent())) }),
  },
  {
    method: 'POST',
    path: /^\/v1\/batch\/ack$/,
    answer: (operator, { body }) => done(operator.ack(body.text('intentId'))),
  },
  {
    method: 'POST',
    path: /^\/v1\/batch\/tree\/submitNonces$/,
    answer: (operator, { body }) =>
      done(operator.nonces(body.text('batchId'), body.text('pubkey'), body.map('treeNonces'))),
  },
  {
    method: 'POST',
    path: /^\/v1\/batch\/tree\/submitSignatures$/,
    answer: (operator, { body }) =>
      done(operator.signatures(body.text('batchId'), body.text('pubkey'), body.map('treeSignatures'))),
  },
  {
    method: 'POST',
    path: /^\/v1\/batch\/submitForfeitTxs$/,
    answer: (operator, { body }) =>
      done(operator.forfeits(body.texts('signedForfeitTxs'), body.text('signedCommitmentTx'))),
  },
  { method: 'POST', path: /^\/v1\/batch\/updateTopics$/, answer: updateTopics },
  {
    method: 'POST',
    path: /^\/v1\/intent$/,
    answer: (operator, { body }) => ({ intent: null, intents: operator.getIntents(body.intent()) }),
  },
  { method: 'GET', path: /^\/v1\/intent$/, answer: finishedIntent },
  { method: 'GET', path: /^\/v1\/indexer\/vtxos$/, answer: vtxos },
  { method: 'GET', path: new RegExp(`^/v1/indexer/virtualTx/${txid}$`), answer: virtualTx },
  { method: 'GET', path: new RegExp(`^/v1/indexer/vtxo/${txid}/(\\d+)/chain$`), answer: chain },
  {
    method: 'GET',
    path: new RegExp(`^/v1/indexer/batch/${txid}/\\d+/tree$`),
    answer: (operator, call) => list(call, 'vtxoTree', operator.indexer.tree(call.path[0] ?? '')),
  },
  {
    method: 'GET',
    path: new RegExp(`^/v1/indexer/batch/${txid}/\\d+/tree/leaves$`),
    answer: (operator, call) => list(call, 'leaves', operator.indexer.leaves(call.path[0] ?? '')),
  },
  {
    method: 'GET',
    path: new RegExp(`^/v1/indexer/batch/${txid}/\\d+/sweepTxs$`),
    answer: (operator, call) => ({ sweptBy: operator.indexer.sweepTxids(call.path[0] ?? '') }),
  },
  { method: 'GET', path: new RegExp(`^/v1/indexer/commitmentTx/${txid}$`), answer: commitment },
  {
    method: 'GET',
    path: new RegExp(`^/v1/indexer/commitmentTx/${txid}/connectors$`),
    answer: (operator, call) => list(call, 'connectors', operator.indexer.connectors(call.path[0] ?? '')),
  },
  {
    method: 'GET',
    path: new RegExp(`^/v1/indexer/commitmentTx/${txid}/forfeitTxs$`),
    answer: (operator, call) => list(call, 'txids', operator.indexer.forfeitTxids(call.path[0] ?? '')),
  },
  { method: 'GET', path: new RegExp(`^/v1/indexer/asset/${txid}$`), answer: noAsset },
  { method: 'POST', path: /^\/v1\/indexer\/script\/subscribe$/, answer: subscribe },
  {
    method: 'POST',
    path: /^\/v1\/indexer\/script\/unsubscribe$/,
    answer: (operator, { body }) => done(operator.unsubscribe(body.text('subscriptionId'), body.texts('scripts'))),
  },
  { method: 'POST', path: /^\/v1\/indexer\/subscription\/update$/, answer: updateFilter },
];

function done(_: void): Record<string, never> {
  return {};
}

function pageOf(query: URLSearchParams): { index: number; size: number } | null {
  const index = query.get('page.index');
  const size = query.get('page.size');
  return index === null && size === null ? null : { index: Number(index ?? 0), size: Number(size ?? 0) };
}

function list(call: Call, name: string, all: readonly unknown[]): Record<string, unknown> {
  const { rows, page } = paged(all, pageOf(call.query));
  return { [name]: rows, page };
}

const filters: readonly (readonly [string, CoinFilter])[] = [
  ['spendableOnly', 'spendable'],
  ['spentOnly', 'spent'],
  ['recoverableOnly', 'recoverable'],
  ['pendingOnly', 'pending'],
  ['renewableOnly', 'renewable'],
];

function vtxos(operator: Operator, call: Call): Record<string, unknown> {
  const { query } = call;
  const chosenFilters = filters.filter(([name]) => query.get(name) === 'true');
  if (chosenFilters.length > 1)
    throw badRequest('spendable, spent, recoverable, pending and renewable filters are mutually exclusive');
  const filter = chosenFilters[0]?.[1];
  const wanted: CoinQuery = {
    scripts: query.getAll('scripts'),
    outpoints: query.getAll('outpoints'),
    ...(filter === undefined ? {} : { filter }),
    after: Number(query.get('after') ?? 0),
    before: Number(query.get('before') ?? 0),
  };
  const { rows, page } = paged(operator.indexer.coins(wanted), pageOf(query));
  return { vtxos: rows.map(coinJson), page };
}

function virtualTx(operator: Operator, call: Call): Record<string, unknown> {
  return { ...list(call, 'txs', operator.indexer.virtualTxs((call.path[0] ?? '').split(','))), authToken: '' };
}

function chain(operator: Operator, call: Call): Record<string, unknown> {
  const rows = operator.indexer.chain(call.path[0] ?? '', Number(call.path[1]));
  return { ...list(call, 'chain', rows), authToken: '', nextPageToken: '' };
}

function commitment(operator: Operator, call: Call): Record<string, unknown> {
  const record = operator.indexer.commitment(call.path[0] ?? '');
  const { totalInputAmount, totalInputVtxos, totalOutputAmount, totalOutputVtxos } = record;
  const batch = {
    totalOutputAmount,
    totalOutputVtxos,
    expiresAt: String(record.expiresAt),
    swept: record.sweptBy.length > 0,
  };
  return {
    startedAt: String(record.startedAt),
    endedAt: String(record.endedAt),
    batches: { '0': batch },
    totalInputAmount,
    totalInputVtxos,
    totalOutputAmount,
    totalOutputVtxos,
  };
}

function noAsset(_: Operator, call: Call): never {
  throw new OperatorError(13, `asset ${call.path[0]} not found`);
}

function finishedIntent(operator: Operator, { query }: Call): Record<string, unknown> {
  const wanted = query.get('txid');
  if (wanted === null || wanted === '') throw badRequest('unknown intent filter provided');
  const intent = operator.finishedIntent(wanted);
  return { intent, intents: [intent] };
}

function subscribe(operator: Operator, { body }: Call): Record<string, unknown> {
  const scripts = body.texts('scripts');
  if (scripts.length === 0) throw badRequest('missing scripts');
  const id = body.text('subscriptionId');
  return { subscriptionId: id === '' ? operator.subscribe(scripts) : operator.subscribe(scripts, id) };
}

function updateFilter(operator: Operator, { body }: Call): Record<string, never> {
  const filter = body.part('filter');
  if (filter === null) throw badRequest('missing filter');
  const id = body.text('subscriptionId');
  const scripts = filter.part('scripts');
  operator.subscribe(scripts?.texts('add') ?? [], id);
  const remove = scripts?.texts('remove') ?? [];
  if (remove.length > 0) operator.unsubscribe(id, remove);
  return {};
}

function updateTopics(operator: Operator, { body }: Call): Record<string, unknown> {
  const overwrite = body.part('overwrite');
  const modify = body.part('modify');
  return operator.updateTopics(body.text('streamId'), {
    ...(overwrite === null ? {} : { overwrite: overwrite.texts('topics') }),
    ...(modify === null ? {} : { add: modify.texts('addTopics'), remove: modify.texts('removeTopics') }),
  });
}
