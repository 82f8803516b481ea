import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallFailed, createClient, httpTransport, ipcTransport, localTransport } from '../../engine/contract/client.ts';
import { routeNames, routes } from '../../engine/contract/routes.ts';
import { createAdmission } from '../../engine/api/admission.ts';
import { createApp } from '../../engine/api/app.ts';
import { createDispatch } from '../../engine/api/dispatch.ts';
import { createHalfSent } from '../../engine/api/half-sent.ts';
import { nodeStatus } from '../../engine/contract/records/node.ts';
import { refuse } from '../../engine/domain/errors.ts';
import { bodies } from '../contract/bodies.ts';
import { memoryService } from './memory-service.ts';
import { ownerToken, serve, type Serving } from './serve.ts';
import { lightningFailure } from '../../engine/legs/lightning/failures.ts';

let serving: Serving;
beforeAll(async () => void (serving = await serve()));
afterAll(() => serving.server.stop());

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<[number, unknown]> {
  const reply = await fetch(serving.server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${ownerToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return [
    reply.status,
    reply.headers.get('content-type')?.startsWith('application/json') === true ? JSON.parse(text) : text,
  ];
}

const absent = '00000000-0000-4000-8000-0000000000ff';
const fresh = (seed: number) => ({
  ...bodies.createLightningArkade,
  hash_lock: `0x${seed.toString(16).padStart(64, '0')}`,
});

describe('a swap', () => {
  it('is created with 200 and read back with its direction', async () => {
    const [status, record] = await call('POST', '/swap/lightning/arkade', fresh(1));
    expect([status, record]).toMatchObject([200, { status: 'pending', source_amount: '50000' }]);
    expect(record).not.toHaveProperty('direction');
    const { id } = record as { id: string };
    expect(await call('GET', `/swap/${id}`)).toEqual([
      200,
      { ...(record as object), direction: 'lightning_to_arkade' },
    ]);
    expect(await call('POST', '/swap/bulk-status', { ids: [id, absent, 'nonsense'] })).toEqual([
      200,
      { statuses: [{ id, status: 'pending' }], not_found: [absent, 'nonsense'] },
    ]);
  });

  it('with a used hash answers 409 with the text that clients look for', async () => {
    await call('POST', '/swap/lightning/arkade', fresh(2));
    expect(await call('POST', '/swap/lightning/arkade', fresh(2))).toEqual([
      409,
      { error: 'a swap with this preimage hash exists already: hash_lock was used before, make a new secret' },
    ]);
  });

  it('of a direction that is not connected answers 503', async () => {
    expect(await call('POST', '/swap/arkade/evm', bodies.createArkadeEvm)).toEqual([
      503,
      { error: 'EVM chains are not connected to this node: add one in the settings.' },
    ]);
  });

  it('with a key off the curve is refused', async () => {
    const offCurve = `02${'00'.repeat(31)}05`;
    expect(await call('POST', '/swap/lightning/arkade', { ...fresh(3), claim_pk: offCurve })).toEqual([
      400,
      {
        error:
          `claim_pk "${offCurve}" is not a point of the curve secp256k1: send the public key of a private key you ` +
          'hold.',
      },
    ]);
  });

  it('with a surcharge needs a developer key, which the engine judges', async () => {
    expect(await call('POST', '/swap/lightning/arkade', { ...fresh(4), extra_fees: 10 })).toEqual([
      400,
      {
        error:
          'extra_fees is 10 but needs a developer key that allows it: send the key in the X-Developer-Key header, ' +
          'or leave extra_fees out.',
      },
    ]);
    await call('POST', '/swap/lightning/arkade', { ...fresh(4), extra_fees: 10 }, { 'x-developer-key': 'dev' });
    expect(serving.service.asked.at(-1)).toEqual({ direction: 'lightning-arkade', developerKey: 'dev' });
  });
});

describe('an unknown swap', () => {
  const psbt = Buffer.from('psbt\xff', 'latin1').toString('base64');
  it.each([absent, 'nonsense', '%2e%2e%2fx', 'x'.repeat(3_000)])(
    'answers 400 under /swap and 404 under /api and /owner: %s',
    async (id) => {
      const statuses = [
        (await call('GET', `/swap/${id}`))[0],
        (await call('GET', `/swap/${id}/refund-and-swap-calldata`))[0],
        (await call('GET', `/api/swap/${id}/collab-refund-evm/params`))[0],
        (await call('POST', `/api/swap/arkade-evm/${id}/collab-refund`, { ark_tx: psbt, checkpoint_txs: [psbt] }))[0],
        (
          await call('POST', `/api/swap/arkade-evm/${id}/collab-refund-delegate`, {
            intent_proof: psbt,
            forfeit_psbts: [psbt],
          })
        )[0],
        (await call('GET', `/owner/swaps/${id}`))[0],
        (await call('POST', `/owner/swaps/${id}/refund`, {}))[0],
      ];
      expect(statuses).toEqual([400, 400, 404, 404, 404, 404, 404]);
    },
  );
});

describe('a collaborative refund', () => {
  it('is forbidden while the swap runs, and returns the PSBTs as base64, under both names', async () => {
    const psbt = Buffer.from('psbt\xff and more', 'latin1').toString('base64');
    const body = { ark_tx: psbt, checkpoint_txs: [psbt, psbt] };
    const [, record] = await call('POST', '/swap/lightning/arkade', fresh(5));
    const { id } = record as { id: string };
    expect(await call('POST', `/api/swap/arkade-evm/${id}/collab-refund`, body)).toEqual([
      403,
      { error: 'The swap is running: wait for its refund locktime.' },
    ]);
    serving.service.move(id, 'serverwontfund');
    expect(await call('POST', `/api/swap/arkade-evm/${id}/collab-refund`, body)).toEqual([200, body]);
    expect(await call('POST', `/api/swap/arkade-lightning/${id}/collab-refund`, body)).toEqual([200, body]);
    expect(await call('GET', '/api/delegate/cosigner-pk')).toEqual([
      200,
      { cosigner_pk: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798' },
    ]);
  });
});

describe('a failure', () => {
  it('of a network answers 503, a bug 500, neither with details, both logged', async () => {
    const secret = 'preimage 0123456789abcdef at http://10.0.0.1/macaroon';
    serving.service.nextCreate = () => {
      throw lightningFailure('lightning-away', 'safe', secret);
    };
    const away = await call('POST', '/swap/lightning/arkade', fresh(6));
    serving.service.nextCreate = () => {
      throw new TypeError(secret);
    };
    const bug = await call('POST', '/swap/lightning/arkade', fresh(6));
    serving.service.nextCreate = null;
    expect([away, bug]).toEqual([
      [503, { error: 'A network that this request needs did not answer: try again in a minute.' }],
      [500, { error: 'The node failed on this request and has noted why: read the swap before you try again.' }],
    ]);
    expect(serving.logged.map(({ text }) => text)).toEqual(['a network failed during a request', 'a request failed']);
  });
});

describe('owner and other routes', () => {
  it('answer as the table says', async () => {
    expect(await call('GET', '/health')).toEqual([200, 'ok']);
    expect(await call('GET', '/tokens?source_chain=Mars&source_token=btc')).toMatchObject([400, {}]);
    for (const half of ['source_chain=Arkade', 'source_chain=Mars', 'target_token=nonsense', 'target_chain=99&x=1'])
      expect(await call('GET', `/tokens?${half}`)).toMatchObject([200, { evm_tokens: [] }]);
    expect(await call('GET', '/tokens?target_chain=Arkade&target_token=nonsense')).toMatchObject([400, {}]);
    expect(await call('GET', '/tokens?source_chain=Mars&target_token=btc')).toMatchObject([200, {}]);
    expect(await call('GET', '/mtp')).toEqual([200, { mtp: 1_700_000_000, tip_height: 100 }]);
    expect(((await call('GET', '/openapi.json'))[1] as { openapi: string }).openapi).toBe('3.1.0');
    expect(await call('POST', '/owner/wallets/evm:137/address', {})).toEqual([
      200,
      { address: 'an address on evm:137' },
    ]);
    expect((await call('POST', '/owner/wallets/mars/address', {}))[0]).toBe(400);
    expect(await call('POST', '/owner/wallets/arkade/withdraw', { address: 'ark1', amount: 12 })).toEqual([
      200,
      { id: '1', sent: true, transaction: '12' },
    ]);
    expect(await call('PATCH', '/owner/settings', { terms: { feeBps: 30 } })).toEqual([
      200,
      { settings: { terms: { feeBps: 30 } } },
    ]);
    expect([
      await call('POST', '/owner/terms/preview', { terms: { feeBps: 30 }, amounts_sats: [1_000, '2000'] }),
      await call('POST', '/owner/terms/preview', { terms: [] }),
      await call('POST', '/owner/terms/preview', {}),
      await call('POST', '/owner/terms/preview', { terms: {}, amounts_sats: [] }),
    ]).toEqual([
      [200, { pairs: [] }],
      [400, { error: expect.stringMatching(/^terms cannot be a list of 0: send the terms to look at, /) }],
      [400, { error: expect.stringMatching(/^terms is required: send the terms to look at, /) }],
      [400, { error: expect.stringMatching(/amounts_sats/) }],
    ]);
    expect([
      (await call('DELETE', '/owner/developer-keys/1'))[0],
      (await call('DELETE', '/owner/developer-keys/2'))[0],
    ]).toEqual([200, 404]);
    expect(await call('GET', '/owner/ledger?format=csv')).toEqual([
      200,
      "time,swap_id,pair,kind,network,asset,amount\r\n1,,,'=SUM(A1),lightning,btc,-12\r\n",
    ]);
    expect((await call('GET', '/status'))[0]).toBe(200);
    await call('POST', '/owner/resume', {});
    expect(await call('GET', '/status')).toMatchObject([503, { healthy: false }]);
  });

  it('while there is no engine are all 503 but health and the contract', async () => {
    const dispatch = createDispatch({ service: () => null, openapi: {}, log: { error: () => undefined } });
    expect(
      await Promise.all(
        (['health', 'openapi', 'version', 'ownerStatus'] as const).map(
          async (name) => (await dispatch(name, {})).status,
        ),
      ),
    ).toEqual([200, 200, 503, 503]);
  });
});

describe('the sandbox', () => {
  it('gets a control that is well formed, and its answer comes back as it is', async () => {
    const calls: unknown[] = [];
    const { server } = await serve({
      sandbox: { call: async (...call) => (calls.push(call), { status: 200, body: { clock: 5 } }) },
    });
    const post = (path: string, body: unknown) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect(await (await post('/sandbox/clock/advance', { seconds: 60 })).json()).toEqual({ clock: 5 });
    expect((await post('/sandbox/bitcoin/mine', { auto_seconds: null })).status).toBe(200);
    expect((await post('/sandbox/bitcoin/mine', { auto: 'on_demand' })).status).toBe(200);
    expect((await post('/sandbox/evm/31/mine', { blocks: 1 })).status).toBe(200);
    const refused = await Promise.all([
      post('/sandbox/clock/advance', { seconds: 60, years: 1 }),
      post('/sandbox/arkade/fault', { operator: 'asleep' }),
      post('/sandbox/lightning/fault', {}),
      post('/sandbox/bitcoin/mine', { blocks: 1, auto_seconds: 2 }),
    ]);
    expect(await Promise.all(refused.map(async (reply) => [reply.status, await reply.json()]))).toEqual([
      [400, { error: '"years" is not a field of this request: send only seconds.' }],
      [400, { error: 'operator cannot be "asleep": send one of away, back.' }],
      [400, { error: 'The request names 0 faults: send exactly one of next_payment, node.' }],
      [400, { error: 'Send exactly one of blocks, auto_seconds and auto.' }],
    ]);
    expect(calls).toEqual([
      ['POST', '/sandbox/clock/advance', { seconds: 60 }],
      ['POST', '/sandbox/bitcoin/mine', { auto_seconds: null }],
      ['POST', '/sandbox/bitcoin/mine', { auto: 'on_demand' }],
      ['POST', '/sandbox/evm/31/mine', { blocks: 1 }],
    ]);
    await server.stop();
  });
});

describe('the typed client', () => {
  it('says the same over HTTP, in process and over the bridge', async () => {
    const dispatch = createDispatch({ service: memoryService, openapi: {}, log: { error: () => undefined } });
    const clients = [
      createClient(httpTransport(`${serving.server.url}/`, fetch, { token: ownerToken })),
      createClient(localTransport(dispatch)),
      createClient(ipcTransport((name, args) => dispatch(name as 'version', args as object))),
    ];
    for (const client of clients) {
      expect(await client.call('version')).toEqual({ tag: '0.1.0', commit_hash: 'none' });
      expect(await client.call('walletAddress', { params: { network: 'evm:31' }, body: { asset: 'btc' } })).toEqual({
        address: 'an address on evm:31',
      });
      const failed = client.call('swap', { params: { id: 'a/b?c' } });
      await expect(failed).rejects.toThrow(CallFailed);
      await expect(failed).rejects.toMatchObject({
        status: 400,
        message: 'No swap has the id "a/b?c": check the id, or find your swaps with /swap/recover.',
      });
    }
  });

  it('reaches a handler for every route of the table', async () => {
    const dispatch = createDispatch({
      service: memoryService,
      openapi: {},
      log: { error: (fields) => expect.unreachable(String(fields['err'])) },
    });
    for (const name of routeNames) {
      const { status } = await dispatch(name, {
        params: { id: absent, network: 'arkade', hash: 'ab', chain: '31' },
        body: { reason: 'x', ids: [], xpub: 'x', name: 'x', max_extra_fee_bps: 0, address: 'x', amount: 1, seconds: 1 },
      });
      expect([
        name,
        [200, ...routes[name].refusals].includes(status) ||
          routes[name].access === 'sandbox' ||
          [400, 404].includes(status),
      ]).toEqual([name, true]);
    }
  });

  it('answers for an unknown id on every route that names one as its own list says', async () => {
    const dispatch = createDispatch({ service: memoryService, openapi: {}, log: { error: () => undefined } });
    const byId = routeNames.filter((name) => routes[name].path.includes('{id}'));
    const unlisted: string[] = [];
    for (const name of byId) {
      const { method, path, refusals } = routes[name];
      const { status } = await dispatch(name, { params: { id: absent }, body: {} });
      if (!refusals.includes(status)) unlisted.push(`${method} ${path}: ${status}, listed are ${refusals.join(' ')}`);
      // An id that nobody knows has one status, under /swap and elsewhere.
      const other = routes[name].unknownSwap === 400 ? 404 : 400;
      if ((other === 404 || routes[name].body === null) && refusals.includes(other))
        unlisted.push(`${method} ${path}: ${other} is never`);
    }
    expect([byId.length > 20, unlisted]).toEqual([true, []]);
  });

  it.each(['refundCalldata', 'collabRefundEvmParams', 'ownerBump', 'ownerRefund'] as const)(
    'lists what a network or a disk that is away makes of %s',
    async (name) => {
      const away = () => refuse('unavailable', 'It is away.');
      const service = memoryService();
      const ofOwner = { ...service.owner, bump: away, refund: away };
      const dispatch = createDispatch({
        service: () => ({ ...service, standing: () => null, [name]: away, owner: ofOwner }),
        openapi: {},
        log: { error: () => undefined },
      });
      const { status } = await dispatch(name, { params: { id: absent }, body: {} });
      expect([status, routes[name].refusals.includes(status)]).toEqual([503, true]);
    },
  );
});

describe('status and ready of a node without an engine have the shape that they always have', () => {
  const sentence = expect.stringMatching(/^The node is (starting or )?stopping: /);
  const unserved = {
    '/status': {
      healthy: false,
      swaps_paused: true,
      services: Object.fromEntries(
        ['arkade', 'bitcoin', 'polygon', 'ethereum', 'arbitrum'].map((key) => [
          key,
          { healthy: false, error: sentence },
        ]),
      ),
    },
    '/health/ready': { ready: false },
    '/version': { error: sentence },
  };
  const quiet = { error: () => undefined };
  const none = createDispatch({ service: () => null, openapi: {}, log: quiet });

  it('while it starts', async () => {
    for (const [name, body] of [
      ['status', unserved['/status']],
      ['ready', unserved['/health/ready']],
      ['version', unserved['/version']],
    ] as const)
      expect(await none(name, {})).toMatchObject({ status: 503, body });
    expect(nodeStatus.safeParse((await none('status', {})).body).success).toBe(true);
  });

  it('while it stops', async () => {
    const admission = createAdmission({ rules: {}, ownerToken, port: 0 });
    const app = createApp({
      ...{ admission, dispatch: none, service: () => null, door: () => null, log: quiet },
      serverOf: (handler) => createServer(handler),
      stopping: () => true,
      halfSent: createHalfSent(),
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    admission.listensAt(Number(new URL(url).port));
    for (const [path, body] of Object.entries(unserved)) {
      const reply = await fetch(url + path);
      expect([path, reply.status, await reply.json()]).toEqual([path, 503, body]);
      expect(reply.headers.get('connection')).toBe('close');
    }
    await app.close();
  });
});
