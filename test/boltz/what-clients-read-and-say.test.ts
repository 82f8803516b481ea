import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { Transaction } from '@scure/btc-signer';
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { createReverse, createSubmarine, type CoreSwap } from './core-kit.ts';
import { startDoorNode } from './kit.ts';
import { listenAt, subscribe, wordsOf } from './socket-kit.ts';

const patience = { timeout: 240_000 };
let node: WireNode;

beforeAll(async () => {
  node = await startDoorNode();
}, 120_000);
afterAll(() => node?.stop());

const read = (path: string) => node.get(`/v2/${path}`);
const say = (path: string, body: Json) => node.raw('POST', `/v2/${path}`, body);
const keyOf = ({ key }: CoreSwap) => hex.encode(secp256k1.getPublicKey(key));

async function fundedSubmarine(): Promise<{ id: string; raw: string }> {
  const { bolt11, hash } = await node.invoice(50_000);
  const swap = await createSubmarine(node.url, bolt11, hash);
  const { address, expectedAmount: amount } = swap.reply;
  await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
  const first = await eventually(
    () => read(`swap/${swap.id}`),
    ({ status }) => status === 'transaction.mempool',
  );
  return { id: swap.id, raw: text(first['transaction'] as Json, 'hex') };
}

test('the chain: height, fees, the Lightning node, and a transaction with its confirmations', patience, async () => {
  const { raw } = await fundedSubmarine();
  const { height } = await read('chain/BTC/height');
  expect(await read('chain/heights')).toEqual({ BTC: height, 'L-BTC': 0 });
  const { fee } = await read('chain/BTC/fee');
  expect(fee).toBeGreaterThan(0);
  expect(await read('chain/fees')).toEqual({ BTC: fee, 'L-BTC': 0 });
  const { BTC: lightning } = await read('nodes');
  expect(text((lightning as Json)['SLUICE'] as Json, 'publicKey')).toMatch(/^0[23][0-9a-f]{64}$/);
  const { id } = Transaction.fromRaw(hex.decode(raw), { allowUnknownOutputs: true });
  expect(await read(`chain/BTC/transaction/${id}`)).toEqual({ hex: raw, confirmations: 0 });
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 2 });
  await eventually(
    () => read(`chain/BTC/transaction/${id}`),
    ({ confirmations }) => confirmations === 2,
  );
  expect(
    await eventually(
      () => read('chain/BTC/height'),
      (now) => now['height'] === Number(height) + 2,
    ),
  ).toBeTruthy();
  await expect(read(`chain/BTC/transaction/${'0'.repeat(64)}`)).rejects.toThrow(/404/);
});

test('statuses of several at once; a coin in no block is waited for, and that is said', patience, async () => {
  const { bolt11, hash } = await node.invoice(40_000);
  const [unpaid, paid] = [await createSubmarine(node.url, bolt11, hash), await fundedSubmarine()];
  const both = await read(`swap/status?ids=${unpaid.id}&ids=${paid.id}`);
  expect(both).toEqual({
    [unpaid.id]: { status: 'invoice.set' },
    [paid.id]: await read(`swap/${paid.id}`),
  });
  expect(both[paid.id]).toMatchObject({ status: 'transaction.mempool', zeroConfRejected: true });
  const confirmed = await eventually(
    async () => {
      await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return read(`swap/${paid.id}`);
    },
    ({ status }) => status !== 'transaction.mempool',
  );
  expect(confirmed).not.toHaveProperty('zeroConfRejected');
  await expect(read(`swap/status?ids=${paid.id}&ids=aaaaaaaaaaaa`)).rejects.toThrow(/404 could not find swap/);
  await expect(read('swap/status')).rejects.toThrow(/400 ids/);
  const many = Array.from({ length: 65 }, () => `ids=${paid.id}`).join('&');
  await expect(read(`swap/status?${many}`)).rejects.toThrow(/400 ids/);
});

test('a secret without a transaction is taken for what it is, and opens nothing', patience, async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  const claim = `swap/reverse/${swap.id}/claim`;
  const preimage = hex.encode(swap.preimage);
  expect(await say(claim, { preimage })).toMatchObject({ status: 200, body: {} });
  expect((await say(claim, { preimage: hex.encode(randomBytes(32)) })).body).toEqual({ error: 'invalid preimage' });
  expect((await say(claim, { preimage: preimage.slice(2) })).status).toBe(400);
  expect((await say(claim, { preimage, index: 0 })).status).toBe(400);
  const payment = await node.pay(text(swap.reply, 'invoice'));
  await eventually(
    () => read(`swap/${swap.id}`),
    ({ status }) => status === 'transaction.confirmed' || status === 'transaction.mempool',
  );
  expect(await say(claim, { preimage })).toMatchObject({ status: 200, body: {} });
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 3 });
  // Our lock is its client's still, and the payment is held.
  expect(await node.payment(payment)).not.toBe('settled');
  expect(text(await read(`swap/${swap.id}`), 'status')).toMatch(/^transaction\.(mempool|confirmed)$/);
  expect(whole(swap.reply, 'onchainAmount')).toBe(60_000);
});

test('what is left out by a null or an empty text is left out, in a claim too', async () => {
  const reverse = await createReverse(node.url, { onchainAmount: 60_000 });
  const secret = randomBytes(32);
  const { body: chain } = await say('swap/chain', {
    ...{
      from: 'ARK',
      to: 'BTC',
      serverLockAmount: 60_000,
      preimageHash: createHash('sha256').update(secret).digest('hex'),
    },
    ...{ claimPublicKey: keyOf(reverse), refundPublicKey: keyOf(reverse) },
  });
  const claim = `swap/chain/${text(chain, 'id')}/claim`;
  const preimage = hex.encode(secret);
  const nothing = { toSign: null, signature: null };
  for (const left of [{}, nothing, { toSign: {}, signature: '' }, { toSign: { pubNonce: '', transaction: null } }])
    expect(await say(claim, { preimage, ...left })).toEqual({ status: 200, body: {} });
  const ofReverse = { preimage: hex.encode(reverse.preimage), pubNonce: '', transaction: null };
  expect(await say(`swap/reverse/${reverse.id}/claim`, ofReverse)).toEqual({ status: 200, body: {} });
});

test('who sent a client is said again in the answer, and a text of any other kind is left out', async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  const [preimageHash, key] = [() => hex.encode(randomBytes(32)), keyOf(swap)];
  const { bolt11: invoice } = await node.invoice(50_000);
  const bodies: Readonly<Record<string, () => Json>> = {
    submarine: () => ({ from: 'ARK', to: 'BTC', preimageHash: preimageHash(), refundPublicKey: key }),
    reverse: () => ({
      ...{ from: 'BTC', to: 'BTC', preimageHash: preimageHash(), claimPublicKey: key },
      invoiceAmount: 60_000,
    }),
    chain: () => ({
      ...{ from: 'ARK', to: 'BTC', preimageHash: preimageHash(), userLockAmount: 60_000 },
      ...{ claimPublicKey: key, refundPublicKey: key },
    }),
  };
  for (const [kind, body] of Object.entries(bodies)) {
    const create = async (referralId: unknown) => {
      const reply = await say(`swap/${kind}`, { ...body(), referralId });
      return [reply.status, reply.body['referralId']];
    };
    expect([kind, await create('alby')]).toEqual([kind, [201, 'alby']]);
    for (const other of ['', null, 7, 'x'.repeat(101)])
      expect([kind, await create(other)]).toEqual([kind, [201, undefined]]);
  }
  const named = { from: 'BTC', to: 'BTC', invoice, refundPublicKey: key, referralId: 'alby', paymentTimeout: 60 };
  expect((await say('swap/submarine', named)).body).toMatchObject({ referralId: 'alby' });
});

test('an invoice beside the hash of another is refused, and beside its own taken', async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  const { bolt11: invoice, hash } = await node.invoice(50_000);
  const create = (preimageHash: string) =>
    say('swap/submarine', { from: 'BTC', to: 'BTC', invoice, preimageHash, refundPublicKey: keyOf(swap) });
  const { status, body } = await create(hex.encode(randomBytes(32)));
  expect([status, body]).toEqual([400, { error: 'preimageHash: the invoice has another one' }]);
  expect((await create(hash)).status).toBe(201);
});

test('a page in a browser may ask, with the headers that clients send', async () => {
  const origin = 'https://wallet.example';
  await node.owner('PATCH', '/owner/settings', { http: { origins: [origin] } });
  const answer = await fetch(`${node.url}/v2/swap/reverse`, {
    method: 'OPTIONS',
    headers: {
      ...{ origin, 'access-control-request-method': 'POST' },
      'access-control-request-headers': 'content-type, referral',
    },
  });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
  const names = (name: string) => (answer.headers.get(`access-control-allow-${name}`) ?? '').toLowerCase().split(/, */);
  expect(names('headers')).toEqual(expect.arrayContaining(['content-type', 'referral']));
  expect(names('methods')).toEqual(expect.arrayContaining(['get', 'post', 'patch']));
  const ask = (path: string, from: string) => fetch(`${node.url}/v2/${path}`, { headers: { origin: from } });
  const allowed = async (path: string, from = origin) =>
    (await ask(path, from)).headers.get('access-control-allow-origin');
  expect([await allowed('version'), await allowed('swap/nothingthere')]).toEqual([origin, origin]);
  expect(await allowed('version', 'https://other.example')).toBe(null);
});

test(
  "a restore says of each lock of a chain swap by which key below the extended one it is its client's",
  patience,
  async () => {
    const master = HDKey.fromMasterSeed(randomBytes(32));
    const keyAt = (index: number) => hex.encode(master.derive(`m/44/0/0/0/${index}`).publicKey ?? new Uint8Array());
    const create = (claimPublicKey: string, refundPublicKey: string) =>
      say('swap/chain', {
        ...{ from: 'ARK', to: 'BTC', serverLockAmount: 60_000, preimageHash: hex.encode(randomBytes(32)) },
        ...{ claimPublicKey, refundPublicKey },
      });
    await create(keyAt(2), keyAt(9));
    await create(keyAt(11), hex.encode(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey())));
    const { body } = await say('swap/restore', { xpub: master.publicExtendedKey });
    const indexes = (body as unknown as Record<'claimDetails' | 'refundDetails', Json>[]).map(
      ({ claimDetails, refundDetails }) => [claimDetails['keyIndex'], refundDetails['keyIndex']],
    );
    expect(indexes).toEqual([
      [2, 9],
      [11, undefined],
    ]);
  },
);

test('an invoice that nobody paid ends by a word that every client knows', patience, async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  const words = await wordsOf(node, swap.id);
  await node.advance(3_600);
  await expect.poll(() => words).toEqual(['swap.created', 'invoice.expired', 'swap.expired']);
  expect(await read(`swap/${swap.id}`)).toEqual({
    status: 'swap.expired',
    failureReason: expect.stringContaining('expired') as string,
  });
});

test('what is unsubscribed is told no more, and what is not is', patience, async () => {
  const made = async () => {
    const { bolt11, hash } = await node.invoice(30_000);
    return createSubmarine(node.url, bolt11, hash);
  };
  const [one, other] = [await made(), await made()];
  const peer = await listenAt(node);
  peer.say(subscribe(one.id, other.id));
  for (let frame = 0; frame < 3; frame++) await peer.hear();
  peer.say({ op: 'unsubscribe', channel: 'swap.update', args: [one.id] });
  expect(await peer.hear()).toMatchObject({ event: 'unsubscribe', channel: 'swap.update', args: [other.id] });
  for (const { reply } of [one, other]) {
    const { address, expectedAmount: amount } = reply;
    await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
  }
  for (const { id } of [one, other])
    await eventually(
      () => read(`swap/${id}`),
      ({ status }) => status === 'transaction.mempool',
    );
  const { args } = await peer.hear();
  expect(args).toMatchObject([{ id: other.id, status: 'transaction.mempool' }]);
  peer.say({ op: 'ping' });
  expect(await peer.hear()).toEqual({ event: 'pong' });
  peer.close();
});

test('each request is charged, and one above the allowance is answered in its shape', patience, async () => {
  await node.owner('PATCH', '/owner/settings', { flood: { perSecond: 1, burst: 20 } });
  const replies = [];
  for (let time = 0; time < 130; time++) replies.push(await node.raw('GET', '/v2/swap/submarine'));
  await node.owner('PATCH', '/owner/settings', { flood: { perSecond: 100_000, burst: 1_000_000 } });
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
  const refused = replies.find(({ status }) => status === 429);
  expect(refused?.body).toEqual({ error: expect.stringMatching(/^Too many requests: wait \d+ second/) as string });
});
