import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventSource } from 'eventsource';
import { hex } from '@scure/base';
import { schnorr } from '@noble/curves/secp256k1.js';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { leafSighash, soleLeaf } from '../../../engine/sandbox/world/arkade/psbt.ts';
import type { ArkadeServer } from '../../../engine/sandbox/wire/arkade/server.ts';
import { serveArkade } from '../../../engine/sandbox/wire/arkade.ts';
import { forfeitOf, joinBatch } from './join.ts';
import {
  type Party,
  type TestCoin,
  type TestVhtlc,
  buildSpend,
  inputOf,
  keyOf,
  openContract,
  parse,
  pay,
  prove,
  register,
  signedCheckpoints,
  spendFully,
  text,
} from './support.ts';

interface Exchange {
  readonly name: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: Record<string, unknown> };
  readonly response: { readonly status: number; readonly body: unknown };
}

interface Block {
  readonly event?: string;
  readonly data: unknown;
}

function recorded(file: string): Exchange[] {
  return JSON.parse(readFileSync(new URL(`../../vectors/arkd/${file}.json`, import.meta.url), 'utf8'));
}

function recording(file: string, name: string): Exchange {
  const exchange = recorded(file).find((exchange) => exchange.name.startsWith(name));
  if (exchange === undefined) throw new Error(`no recording ${name} in ${file}`);
  return exchange;
}

/** Names and types; keys that are ids, and texts that are values, fall together; unset stays as it is. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shape(value[0])];
  if (typeof value === 'string') return value === '' ? '' : /^\d+$/.test(value) ? 'decimal' : 'text';
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [/^[0-9a-f]{64}/.test(key) ? 'id' : key, shape(each)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

let operator: Operator;
let server: ArkadeServer;
let alice: Party;
let bob: Party;
let contract: TestVhtlc;
let coin: TestCoin;
let target: TestVhtlc;

beforeEach(async () => {
  ({ operator, alice, bob, contract, coin, target } = await openContract());
  server = await serveArkade(operator, { port: 0, heartbeatMs: 200 });
});
afterEach(async () => {
  operator.stop();
  await server.stop();
});

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, body: await response.json() };
}

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

function out(amount = 10_000): { script: Uint8Array; amount: bigint } {
  return { script: target.script.pkScript, amount: BigInt(amount) };
}

const claim = () => buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);

function sameShape(answer: { status: number; body: unknown }, exchange: Exchange): void {
  expect({ status: answer.status, body: shape(answer.body) }).toEqual({
    status: exchange.response.status,
    body: shape(exchange.response.body),
  });
}

/** An error's status, gRPC code and details, but for the words of the message. */
function errorShape(status: number, body: unknown): unknown {
  const { code, details } = body as {
    code: number;
    details: { '@type': string; code: number; name: string; metadata: object }[];
  };
  return {
    status,
    code,
    details: details.map((detail) => ({
      type: detail['@type'],
      code: detail.code,
      name: detail.name,
      metadata: Object.keys(detail.metadata).sort(),
    })),
  };
}

describe('the answers have the shape of the recorded ones', () => {
  test('info', async () => {
    const exchange = recording('get-v1-info', 'ready, delays in seconds');
    const answer = await get('/v1/info');
    const version = { version: 'any' };
    sameShape(
      { ...answer, body: { ...(answer.body as object), ...version } },
      { ...exchange, response: { status: 200, body: { ...(exchange.response.body as object), ...version } } },
    );
    expect(answer.body).toMatchObject({
      network: 'regtest',
      unilateralExitDelay: '512',
      vtxoMaxAmount: '-1',
      dust: '330',
      serviceStatus: {},
    });
  });

  test('coins, pages, virtual transactions and chains', async () => {
    const txid = await spendFully(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);
    const own = hex.encode(target.script.pkScript);
    const vtxos = (query: string): Promise<{ status: number; body: unknown }> => get(`/v1/indexer/vtxos?${query}`);
    sameShape(await vtxos(`scripts=${own}`), recording('get-v1-indexer-vtxos', 'by script: preconfirmed'));
    sameShape(
      await vtxos(`scripts=${own}&page.index=0&page.size=500`),
      recording('get-v1-indexer-vtxos', 'by script, page asked (index 1 shown): settled leaf'),
    );
    sameShape(
      await vtxos(`scripts=${hex.encode(contract.script.pkScript)}`),
      recording('get-v1-indexer-vtxos', 'by script: spent offchain'),
    );
    sameShape(
      await vtxos('scripts=5120ab&page.index=0&page.size=500'),
      recording('get-v1-indexer-vtxos', 'by script, page asked (index 1 shown): none'),
    );
    sameShape(await vtxos(`outpoints=${'ab'.repeat(32)}:0`), recording('get-v1-indexer-vtxos', 'by outpoint: none'));
    for (const [query, name] of [
      ['', 'HTTP 400: missing outpoints'],
      [`scripts=${own}&outpoints=${txid}:0`, 'HTTP 400: outpoints and scripts'],
      ['outpoints=zz', 'HTTP 400: invalid outpoint format'],
      ['scripts=zz', 'HTTP 400: invalid script format'],
      [`scripts=${own}&spentOnly=true&pendingOnly=true`, 'HTTP 400: spendable, spent'],
    ] as const) {
      expect(await vtxos(query)).toEqual({ status: 400, body: recording('get-v1-indexer-vtxos', name).response.body });
    }
    sameShape(await get(`/v1/indexer/virtualTx/${txid}`), recording('get-v1-indexer-virtual-tx', 'virtual tx'));
    sameShape(
      await get(`/v1/indexer/virtualTx/${'ab'.repeat(32)}`),
      recording('get-v1-indexer-virtual-tx', 'unknown txid'),
    );
    sameShape(await get(`/v1/indexer/vtxo/${txid}/0/chain`), recording('get-v1-indexer-vtxo-chain', 'chain'));
    expect(await get('/v1/indexer/vtxo/zz/0/chain')).toMatchObject({
      status: 400,
      body: { message: 'invalid txid format' },
    });
    sameShape(
      await get(`/v1/indexer/vtxo/${'ab'.repeat(32)}/0/chain`),
      recording('get-v1-indexer-vtxo-chain', 'HTTP 500'),
    );
  });

  test('pages cut as recorded: the last names itself as next, one past the end is empty', async () => {
    for (let i = 0; i < 4; i++) pay(operator, target, 1_000 + i);
    const pages = await Promise.all(
      [0, 1, 2, 3, 9].map((index) =>
        get(`/v1/indexer/vtxos?scripts=${hex.encode(target.script.pkScript)}&page.index=${index}&page.size=2`),
      ),
    );
    expect(pages.map(({ body }) => (body as { vtxos: unknown[]; page: object }).page)).toEqual([
      { current: 1, next: 2, total: 2 },
      { current: 1, next: 2, total: 2 },
      { current: 2, next: 2, total: 2 },
      { current: 3, next: 2, total: 2 },
      { current: 9, next: 2, total: 2 },
    ]);
  });

  test('submit, pending and finalize', async () => {
    const spend = await claim();
    const reply = await post('/v1/tx/submit', {
      signedArkTx: text(spend.arkTx),
      checkpointTxs: spend.checkpoints.map(text),
      more: 1,
    });
    sameShape(reply, recording('post-v1-tx-submit', 'accepted, 1 checkpoint'));
    const intent = await prove(
      { type: 'get-pending-tx', expire_at: 0 },
      [{ coin, leaf: contract.leaves.exitLate }],
      [],
      [alice],
    );
    sameShape(await post('/v1/tx/pending', { intent }), recording('post-v1-tx-pending', 'one pending'));
    const { arkTxid, signedCheckpointTxs } = reply.body as { arkTxid: string; signedCheckpointTxs: string[] };
    const finalCheckpointTxs = await signedCheckpoints(signedCheckpointTxs, [bob], contract.preimage);
    sameShape(
      await post('/v1/tx/finalize', { arkTxid, finalCheckpointTxs }),
      recording('post-v1-tx-finalize', 'finalized'),
    );
    sameShape(await post('/v1/tx/pending', { intent }), recording('post-v1-tx-pending', 'nothing pending'));
    const again = await post('/v1/tx/finalize', { arkTxid, finalCheckpointTxs });
    const stale = recording('post-v1-tx-finalize', 'HTTP 500').response;
    expect(errorShape(again.status, again.body)).toEqual(errorShape(stale.status, stale.body));
  });

  test('errors of submit', async () => {
    const spend = await claim();
    const valid = { signedArkTx: text(spend.arkTx), checkpointTxs: spend.checkpoints.map(text) };
    const locked = await buildSpend(operator, [inputOf(coin, contract.leaves.late)], [out()], [alice]);
    const unknown = await buildSpend(
      operator,
      [inputOf({ ...coin, txid: 'ab'.repeat(32) }, contract.leaves.claim)],
      [out()],
      [bob],
      contract.preimage,
    );
    const bodyOf = (built: typeof spend): object => ({
      signedArkTx: text(built.arkTx),
      checkpointTxs: built.checkpoints.map(text),
    });
    const answers = new Map([
      ['HTTP 400: missing signed ark tx', await post('/v1/tx/submit', {})],
      ['HTTP 400: missing checkpoint txs', await post('/v1/tx/submit', { ...valid, checkpointTxs: [] })],
      [
        'HTTP 400: INVALID_ARK_PSBT (1): failed to parse',
        await post('/v1/tx/submit', { signedArkTx: 'AAAA', checkpointTxs: ['AAAA'] }),
      ],
      ["HTTP 400: invalid character 'x'", await post('/v1/tx/submit', 'xx')],
      ['HTTP 400: DIGEST_MISMATCH', await post('/v1/tx/submit', valid, { 'x-digest': 'ab' })],
      ['HTTP 400: FORFEIT_CLOSURE_LOCKED', await post('/v1/tx/submit', bodyOf(locked))],
      ['HTTP 404: VTXO_NOT_FOUND', await post('/v1/tx/submit', bodyOf(unknown))],
    ]);
    for (const [name, answer] of answers) {
      const { response } = recording('post-v1-tx-submit', name);
      expect(errorShape(answer.status, answer.body), name).toEqual(errorShape(response.status, response.body));
    }
    operator.registerIntent(
      await prove(
        register([`02${'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'}`]),
        [{ coin, leaf: contract.leaves.exitLate }],
        [out()],
        [alice],
      ),
    );
    const held = await post('/v1/tx/submit', valid);
    const { response } = recording('post-v1-tx-submit', 'HTTP 409');
    expect(errorShape(held.status, held.body)).toEqual(errorShape(response.status, response.body));
    expect(
      (answers.get('HTTP 400: FORFEIT_CLOSURE_LOCKED')?.body as { details: { metadata: { locktime: string } }[] })
        .details[0]?.metadata.locktime,
    ).toMatch(/^1\.\d+e\+09$/);
  });

  test('subscriptions, topics, confirmations and what is not there', async () => {
    const script = hex.encode(target.script.pkScript);
    const none = '00000000-0000-0000-0000-000000000000';
    const made = await post('/v1/indexer/script/subscribe', { scripts: [script] });
    sameShape(made, recording('post-v1-indexer-script-subscribe', 'new subscription'));
    const { subscriptionId } = made.body as { subscriptionId: string };
    for (const [path, body, file, name] of [
      ['script/subscribe', { scripts: [script], subscriptionId: none }, 'post-v1-indexer-script-subscribe', 'HTTP 404'],
      ['script/subscribe', { scripts: [] }, 'post-v1-indexer-script-subscribe', 'HTTP 400: missing scripts'],
      ['script/unsubscribe', { subscriptionId: 'x' }, 'post-v1-indexer-script-unsubscribe', 'HTTP 404'],
      ['script/unsubscribe', { subscriptionId }, 'post-v1-indexer-script-unsubscribe', 'unsubscribed'],
      ['subscription/update', { subscriptionId }, 'post-v1-indexer-subscription-update', 'HTTP 400'],
      [
        'subscription/update',
        { subscriptionId: none, filter: { scripts: { add: [script] } } },
        'post-v1-indexer-subscription-update',
        'HTTP 404',
      ],
    ] as const) {
      const answer = await post(`/v1/indexer/${path}`, body);
      expect({ name, ...answer }).toEqual({
        name,
        status: recording(file, name).response.status,
        body: recording(file, name).response.body,
      });
    }
    expect([
      await post('/v1/batch/ack', { intentId: 'nope' }),
      await post('/v1/batch/updateTopics', { streamId: 'nope', modify: { addTopics: ['bb'] } }),
    ]).toEqual(
      [recording('post-v1-batch-ack', 'HTTP 400'), recording('post-v1-batch-update-topics', 'HTTP 404')].map(
        ({ response: { status, body } }) => ({ status, body }),
      ),
    );
    expect(await get('/v1/nope')).toEqual({ status: 404, body: { code: 5, message: 'Not Found', details: [] } });
    expect((await fetch(`${server.url}/v1/info`, { method: 'OPTIONS' })).status).toBe(200);
  });
});

/** Reads a stream until it has shown enough blocks or ended. */
function readStream(
  path: string,
  enough: (blocks: Block[]) => boolean,
): { opened: Promise<number>; blocks: Promise<Block[]> } {
  const response = fetch(`${server.url}${path}`, { headers: { accept: 'text/event-stream' } });
  const blocks = response.then(async ({ body }) => {
    const read: Block[] = [];
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const lines = rest.slice(0, end).split('\n');
        const field = (name: string): string | undefined =>
          lines
            .find((line) => line.startsWith(`${name}:`))
            ?.slice(name.length + 1)
            .trim();
        const [event, data = ''] = [field('event'), field('data')];
        read.push({ ...(event === undefined ? {} : { event }), data: data === '' ? '' : JSON.parse(data) });
        rest = rest.slice(end + 2);
      }
      if (enough(read)) break;
    }
    return read;
  });
  return { opened: response.then(({ status }) => status), blocks };
}

function blocksOf(file: string, name: string): Block[] {
  return recording(file, name).response.body as Block[];
}

describe('the streams have the order and shape of the recorded ones', () => {
  test('script events: no header before the first event, and the first reader ended by the second', async () => {
    const { body } = await post('/v1/indexer/script/subscribe', { scripts: [hex.encode(target.script.pkScript)] });
    const path = `/v1/indexer/script/subscription/${(body as { subscriptionId: string }).subscriptionId}`;
    const first = readStream(path, () => false);
    const early = await Promise.race([first.opened, new Promise((resolve) => setTimeout(resolve, 60, 'silence'))]);
    const txid = await spendFully(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);
    await spendFully(
      operator,
      [inputOf({ txid, vout: 0, value: 10_000, of: target }, target.leaves.refund)],
      [{ script: contract.script.pkScript, amount: 10_000n }],
      [bob],
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    const second = readStream(path, (blocks) => blocks.length > 0);
    const blocks = await first.blocks;
    const [made, spent, , , beat, ,] = blocksOf('sse-v1-indexer-script-subscription', 'fund, claim');
    const heartbeat = { data: { heartbeat: {} } };
    expect({
      early,
      seen: blocks.map(({ event, data }) => ({ event, data: shape(data) })),
      second: await second.blocks,
    }).toEqual({
      early: 'silence',
      seen: [made, spent, beat, { event: 'EOS', data: '' }].map((block) => ({
        event: block?.event,
        data: shape(block?.data),
      })),
      second: [heartbeat],
    });
  });

  test('an unknown subscription answers 200 with a failure and ends; a reader that takes no stream gets 501', async () => {
    const path = '/v1/indexer/script/subscription/00000000-0000-0000-0000-000000000000';
    const stream = readStream(path, () => false);
    const [failure] = blocksOf('sse-v1-indexer-script-subscription', 'unknown subscription id');
    expect([await stream.opened, await stream.blocks, await get(path)]).toEqual([
      200,
      [{ event: failure?.event, data: failure?.data }],
      { status: 501, body: { code: 12, message: 'Streaming Method Not Allowed', details: [] } },
    ]);
  });

  test('the filter stream says at once which subscription it is', async () => {
    const stream = readStream(
      `/v1/indexer/subscription?filter.scripts.add=${hex.encode(target.script.pkScript)}`,
      (blocks) => blocks.length === 2,
    );
    await stream.opened;
    pay(operator, target, 1_000);
    const [started, event] = await stream.blocks;
    const [expected] = blocksOf('sse-v1-indexer-subscription', 'filter subscription');
    expect([shape(started?.data), Object.keys(event?.data as object)]).toEqual([shape(expected?.data), ['event']]);
  });

  test('a batch of a live coin', async () => {
    const stream = readStream(`/v1/batch/events?topics=${keyOf(coin)}`, (blocks) =>
      blocks.some(({ data }) => 'batchFinalized' in (data as object)),
    );
    await stream.opened;
    const input = { coin, leaf: contract.leaves.claim, witness: contract.preimage };
    const byClaim = { leaf: contract.leaves.claim, signers: [bob], witness: contract.preimage };
    const commitment = await joinBatch(operator, bob, {
      inputs: [input],
      outputs: [out()],
      signers: [bob],
      forfeits: async ([connector]) => [await forfeitOf(input, byClaim, connector as NonNullable<typeof connector>)],
    });
    const notOurs = ({ data }: Block): boolean => {
      const { treeTx, treeNonces, treeSignature } = data as {
        treeTx?: { batchIndex: number };
        treeNonces?: object;
        treeSignature?: object;
      };
      return treeTx?.batchIndex === 0 || treeNonces !== undefined || treeSignature !== undefined;
    };
    const expected = blocksOf('sse-v1-batch-events', 'own topics').filter(
      (block) => !notOurs(block) && !('heartbeat' in (block.data as object)),
    );
    expect(
      (await stream.blocks).filter(({ data }) => !('heartbeat' in (data as object))).map(({ data }) => shape(data)),
    ).toEqual(expected.map(({ data }) => shape(data)));
    sameShape(
      await get(`/v1/indexer/commitmentTx/${commitment}`),
      recording('get-v1-indexer-commitment-tx', 'commitment tx of a live batch'),
    );
    sameShape(await get(`/v1/indexer/batch/${commitment}/0/tree`), recording('get-v1-indexer-batch-tree', 'tree'));
  });

  test('a submission whose answer is lost was accepted all the same, and its connection breaks', async () => {
    const spend = await claim();
    operator.faults.loseNextSubmit();
    await expect(
      post('/v1/tx/submit', { signedArkTx: text(spend.arkTx), checkpointTxs: spend.checkpoints.map(text) }),
    ).rejects.toThrow('fetch failed');
    expect(operator.indexer.coins({ outpoints: [keyOf(coin)] })).toMatchObject([
      { spent: true, arkTxid: spend.arkTx.id },
    ]);
  });

  test('an operator that is away answers nobody and cuts every stream', async () => {
    const stream = new EventSource(`${server.url}/v1/batch/events`);
    await new Promise((resolve) => stream.addEventListener('message', resolve, { once: true }));
    const cut = new Promise((resolve) => stream.addEventListener('error', resolve, { once: true }));
    operator.faults.away();
    await cut;
    stream.close();
    await expect(get('/v1/info')).rejects.toThrow('fetch failed');
  });
});

describe('signature hashes agree with those of the recorded operator', () => {
  test.each(['accepted, 1 checkpoint', 'accepted, 2 checkpoints'])('%s', (name) => {
    const { request, response } = recording('post-v1-tx-submit', name);
    const { finalArkTx, signedCheckpointTxs } = response.body as { finalArkTx: string; signedCheckpointTxs: string[] };
    const signer = (
      recording('get-v1-info', 'ready, delays in seconds').response.body as { signerPubkey: string }
    ).signerPubkey.slice(2);
    const verdicts = [finalArkTx, ...signedCheckpointTxs].flatMap((psbt) => {
      const tx = parse(psbt);
      const inputs = Array.from({ length: tx.inputsLength }, (_, i) => tx.getInput(i));
      const prevouts = inputs.map(({ witnessUtxo }) => witnessUtxo ?? { script: new Uint8Array(), amount: 0n });
      return inputs.map((input, i) => {
        const leaf = soleLeaf(tx, i)?.leaf;
        const entry = input.tapScriptSig?.find(([id]) => hex.encode(id.pubKey) === signer);
        if (leaf === null || leaf === undefined || entry === undefined) return 'unsigned';
        return schnorr.verify(entry[1], leafSighash(tx, i, leaf, prevouts, 0), entry[0].pubKey);
      });
    });
    const sent = (request.body?.checkpointTxs as string[]).map((psbt) => parse(psbt).id).sort();
    expect([new Set(verdicts), signedCheckpointTxs.map((psbt) => parse(psbt).id).sort()]).toEqual([
      new Set([true]),
      sent,
    ]);
  });
});
