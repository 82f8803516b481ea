import { hex } from '@scure/base';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { HDKey } from '@scure/bip32';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { claimTx, coinOf, createReverse, createSubmarine, refundTx, signTogether } from './core-kit.ts';
import { openPublishedClient, startDoorNode, type PublishedClient } from './kit.ts';
import { listenAt, subscribe } from './socket-kit.ts';

const patience = { timeout: 240_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startDoorNode();
  client = await openPublishedClient(node, [500_000, 500_000]);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const door = (method: 'GET' | 'POST', path: string, body?: Json) => node.raw(method, `/v2/${path}`, body);
const word = async (id: string) => text(await node.get(`/v2/swap/${id}`), 'status');
const becomes = (id: string, status: string) =>
  eventually(
    async () => {
      await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return word(id);
    },
    (now) => now === status,
    60_000,
  );

test('a secret of any length but 32 bytes is refused before anything else, and the coin stays', patience, async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  await node.pay(text(swap.reply, 'invoice'));
  const now = await eventually(
    () => node.get(`/v2/swap/${swap.id}`),
    (answer) => answer['transaction'] !== undefined,
  );
  const coin = coinOf(swap, text(now['transaction'] as Json, 'hex'), 'both');
  const ask = (preimage: string) =>
    signTogether(node.url, `/v2/swap/reverse/${swap.id}/claim`, {
      ...{ swap, tx: claimTx([coin]), coins: [coin], more: { preimage } },
    });
  for (const length of [0, 1, 31, 33, 64])
    await expect(ask(hex.encode(randomBytes(length)))).rejects.toThrow(/400 preimage: /);
  await expect(ask(hex.encode(randomBytes(32)))).rejects.toThrow(/400 preimage does not open/);
  expect(await word(swap.id)).toMatch(/^transaction\.(mempool|confirmed)$/);
  await ask(hex.encode(swap.preimage));
});

describe('a hash or an invoice comes once, whichever door it comes by', () => {
  test('an invoice', patience, async () => {
    const { bolt11, hash } = await node.invoice(40_000);
    await createSubmarine(node.url, bolt11, hash);
    const words = /a swap with this invoice exists already/;
    await expect(createSubmarine(node.url, bolt11, hash)).rejects.toThrow(/^409 a swap with this invoice exists/m);
    await expect(createSubmarine(node.url, bolt11.toUpperCase(), hash)).rejects.toThrow(words);
    await expect(client.swaps.createSubmarineSwap({ invoice: bolt11 })).rejects.toThrow();
    const wallet = await node.client();
    await expect(wallet.arkadeToLightning(bolt11)).rejects.toThrow(words);
  });

  test('the hash of a secret', patience, async () => {
    const { id, reply, preimage } = await createReverse(node.url, { onchainAmount: 60_000 });
    const again = await door('POST', 'swap/reverse', {
      ...{ from: 'BTC', to: 'BTC', onchainAmount: 60_000 },
      ...{ preimageHash: hex.encode(sha256(preimage)), claimPublicKey: reply['refundPublicKey'] },
    });
    expect([again.status, again.body['error']]).toEqual([
      409,
      expect.stringContaining('a swap with this preimage hash'),
    ]);
    expect(await word(id)).toBe('swap.created');
  });
});

test('fault 132: a refund on Arkade is signed for whoever asks in an ended state alone', patience, async () => {
  const { bolt11, hash } = await node.invoice(40_000, { hold: true });
  const swap = await client.swaps.createSubmarineSwap({ invoice: bolt11 });
  const nonsense = { transaction: 'AA==', checkpoint: 'AA==' };
  const ask = async () => {
    const { status, body } = await door('POST', `swap/submarine/${swap.id}/refund/ark`, nonsense);
    return `${status} ${String(body['error'])}`;
  };
  expect(await ask()).toBe('400 the swap is not eligible for a cooperative refund (pending)');
  await client.wallet.send({ address: swap.response.address ?? '', amount: swap.response.expectedAmount });
  await becomes(swap.id, 'invoice.pending');
  expect(await ask()).toBe('400 the swap is not eligible for a cooperative refund (serverfunded)');
  expect(await client.swaps.refundVHTLC(swap)).toMatchObject({ swept: 0, skipped: 1 });
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'settles' });
  await becomes(swap.id, 'transaction.claimed');
  expect(await ask()).toMatch(/^400 Refund not allowed in current swap state \(serverredeemed\)/);
});

test(
  'fault 132, bitcoin: a refund on the chain is signed after the end, and only of its own coin',
  patience,
  async () => {
    const { bolt11, hash } = await node.invoice(50_000);
    await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'fails' });
    const swap = await createSubmarine(node.url, bolt11, hash);
    const fund = () =>
      node.owner('POST', '/sandbox/bitcoin/faucet', {
        address: text(swap.reply, 'address'),
        amount: whole(swap.reply, 'expectedAmount'),
      });
    await fund();
    const now = await eventually(
      () => node.get(`/v2/swap/${swap.id}`),
      (answer) => answer['transaction'] !== undefined,
    );
    const coin = coinOf(swap, text(now['transaction'] as Json, 'hex'), 'both');
    const ask = (index: number, tx = refundTx(coin, 0)) =>
      signTogether(node.url, `/v2/swap/submarine/${swap.id}/refund`, { swap, tx, coins: [coin], index });
    await expect(ask(0)).rejects.toThrow(/not eligible/);
    await becomes(swap.id, 'invoice.failedToPay');
    const foreign = claimTx([{ ...coin, transactionId: '11'.repeat(32) }], 500n);
    await expect(ask(0, foreign)).rejects.toThrow(/400/);
    await ask(0);
    // Each time with a fresh nonce: the same may be asked again.
    await ask(0);
  },
);

describe('restore', () => {
  test('says the same of a key without swaps as of one that nobody has', patience, async () => {
    const { key } = await createReverse(node.url, { onchainAmount: 60_000 });
    const keys = [key, secp256k1.utils.randomSecretKey()].map((one) => hex.encode(secp256k1.getPublicKey(one)));
    const answers = await Promise.all(keys.map((publicKey) => door('POST', 'swap/restore', { publicKey })));
    // By keys a client asks for what it has on Arkade: an item of another kind fails all of the answer for some.
    expect(answers).toEqual([
      { status: 200, body: [] },
      { status: 200, body: [] },
    ]);
  });

  test(
    'finds by an extended key what was made with the keys below it, and is shown no private one',
    patience,
    async () => {
      const master = HDKey.fromMasterSeed(randomBytes(32));
      const below = (index: number) => master.derive(`m/44/0/0/0/${index}`);
      const made = new Map<string, number>();
      for (const index of [3, 40]) {
        const key = below(index).privateKey ?? undefined;
        made.set((await createReverse(node.url, { onchainAmount: 60_000 }, key)).id, index);
      }
      const { body } = await door('POST', 'swap/restore', { xpub: master.publicExtendedKey });
      const items = (body as unknown as Json[]).map(({ id, claimDetails }) => [id, (claimDetails as Json)['keyIndex']]);
      expect(new Map(items as [string, number][])).toEqual(made);
      expect(body).toMatchObject([{ type: 'reverse', from: 'BTC', to: 'BTC', status: 'swap.created' }, {}]);
      const short = await door('POST', 'swap/restore', { xpub: master.publicExtendedKey, gapLimit: 10 });
      expect((short.body as unknown as Json[]).length).toBe(1);
      const secret = await door('POST', 'swap/restore', { xpub: master.privateExtendedKey });
      expect([secret.status, secret.body['error']]).toEqual([422, expect.stringContaining('private key')]);
    },
  );

  test('takes no more than a hundred keys, and says so by a status of its own', patience, async () => {
    const key = client.publicKey;
    const tooMany = await door('POST', 'swap/restore', { publicKeys: Array.from({ length: 101 }, () => key) });
    expect([tooMany.status, (await door('POST', 'swap/restore', {})).status]).toEqual([422, 422]);
    expect((await door('POST', 'swap/restore', { publicKeys: [key, 'zz'] })).status).toBe(422);
  });
});

describe('pairs', () => {
  const pair = async (kind: string, from: string, to: string): Promise<Json> =>
    ((await node.get(`/v2/swap/${kind}`))[from] as Json)[to] as Json;
  const create = async (amount: number, pairHash?: string): Promise<string> => {
    const { bolt11 } = await node.invoice(amount);
    const { status, body } = await door('POST', 'swap/submarine', {
      ...{ from: 'BTC', to: 'BTC', invoice: bolt11, refundPublicKey: client.publicKey },
      // As clients in Go send what they leave out.
      ...{ pairHash: pairHash ?? '', referralId: null, webhook: { url: '' } },
    });
    return `${status} ${String(body['error'] ?? body['expectedAmount'])}`;
  };

  test('what is not swapped here is listed with nothing in it, and refused', patience, async () => {
    for (const [kind, from, to] of [
      ['reverse', 'BTC', 'ARK'],
      ['chain', 'BTC', 'ARK'],
    ] as const) {
      expect(await pair(kind, from, to)).toMatchObject({ limits: { minimal: 0, maximal: 0 } });
      const keys = { claimPublicKey: client.publicKey, refundPublicKey: client.publicKey };
      const body = { from, to, ...keys, preimageHash: hex.encode(randomBytes(32)) };
      const amount = kind === 'reverse' ? { invoiceAmount: 50_000 } : { userLockAmount: 50_000 };
      expect(await door('POST', `swap/${kind}`, { ...body, ...amount })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('no pair from BTC to ARK') },
      });
    }
  });

  test('the limits that are told are the limits, in the words that clients look for', patience, async () => {
    const { limits } = await pair('submarine', 'BTC', 'BTC');
    const [minimal, maximal] = [whole(limits as Json, 'minimal'), whole(limits as Json, 'maximal')];
    expect(await create(minimal - 1)).toBe(`400 ${minimal - 1} is less than minimal of ${minimal}`);
    expect(await create(maximal + 1)).toBe(`400 ${maximal + 1} exceeds maximal of ${maximal}`);
  });

  test('a price that was told is good after fees have risen, by its hash and without', patience, async () => {
    const { hash, fees } = await pair('submarine', 'BTC', 'BTC');
    const before = whole(fees as Json, 'minerFees');
    const share = Math.ceil((400_000 * Number((fees as Json)['percentage'])) / 100);
    const minerFees = async () => whole((await pair('submarine', 'BTC', 'BTC'))['fees'] as Json, 'minerFees');
    await node.owner('POST', '/sandbox/bitcoin/fees', { sat_per_vb: 10 });
    await eventually(minerFees, (now) => now > before);
    expect(await create(400_000)).toBe(`201 ${400_000 + share + before}`);
    expect(await create(400_000, String(hash))).toBe(`201 ${400_000 + share + before}`);
    expect(await create(400_000, 'ab'.repeat(32))).toBe('400 invalid pair hash');
    await node.owner('POST', '/sandbox/bitcoin/fees', { sat_per_vb: 1 });
    await eventually(minerFees, (now) => now <= before);
  });
});

describe('the socket', () => {
  test('acknowledges, tells the status of now, and one swap in a frame', patience, async () => {
    const { bolt11 } = await node.invoice(41_000);
    const swap = await client.swaps.createSubmarineSwap({ invoice: bolt11 });
    const peer = await listenAt(node);
    peer.say({ op: 'ping' });
    expect(await peer.hear()).toEqual({ event: 'pong' });
    peer.say(subscribe(swap.id, 'unknownunkno'));
    expect(await peer.hear()).toMatchObject({
      event: 'subscribe',
      channel: 'swap.update',
      timestamp: expect.any(String),
    });
    const updates = [await peer.hear(), await peer.hear()].map(({ args }) => (args as Json[])[0]);
    expect(updates).toEqual(
      expect.arrayContaining([
        { id: swap.id, status: 'invoice.set' },
        { id: 'unknownunkno', error: 'could not find swap with id: unknownunkno' },
      ]),
    );
    await client.wallet.send({ address: swap.response.address ?? '', amount: swap.response.expectedAmount });
    const claimed = await peer.hear(({ args }) => (args as Json[])[0]?.['status'] === 'transaction.claimed');
    expect((claimed['args'] as Json[])[0]).toMatchObject({ id: swap.id, transaction: { id: expect.any(String) } });
    peer.close();
  });

  test('takes a hundred ids a frame and not one more, and charges for each', patience, async () => {
    await node.owner('PATCH', '/owner/settings', { flood: { burst: 300 } });
    const peer = await listenAt(node);
    const ids = (count: number) => Array.from({ length: count }, (_, at) => `nothing${String(at).padStart(5, '0')}`);
    peer.say(subscribe(...ids(101)));
    expect(await peer.hear()).toMatchObject({ event: 'error', error: 'args: it takes 100 ids at once' });
    for (const nonsense of ['', '[]', '{"op":"subscribe"}', '{"op":"subscribe","channel":"swap.update","args":[1]}']) {
      peer.say(nonsense);
      expect(await peer.hear()).toMatchObject({ event: 'error' });
    }
    for (let frame = 0; frame < 60; frame++) peer.say(subscribe(...ids(100)));
    expect(await peer.closed).toBe(1008);
  });
});

test('it has as many unfunded swaps as by any other door', patience, async () => {
  await node.owner('PATCH', '/owner/settings', { flood: { openCreatesPerClient: 1 } });
  await expect(createReverse(node.url, { onchainAmount: 60_000 })).rejects.toThrow(/^429 /);
  const { bolt11, hash } = await node.invoice(40_000);
  await expect(createSubmarine(node.url, bolt11, hash)).rejects.toThrow(/^429 /);
});

test('shut, the door is not there, and nothing of it shows', patience, async () => {
  await node.owner('PATCH', '/owner/settings', { boltz: { enabled: false } });
  const answers = await Promise.all([door('GET', 'version'), door('GET', 'nothing')]);
  await expect(listenAt(node)).rejects.toThrow(/404/);
  await node.owner('PATCH', '/owner/settings', { boltz: { enabled: true } });
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect(await node.get('/v2/version')).toEqual({ version: '3.13.0' });
});
