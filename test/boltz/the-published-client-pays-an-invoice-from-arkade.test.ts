import { BoltzSwapProvider } from '@arkade-os/boltz-swap';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { text, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { openGate } from '../support/tcp-gate.ts';
import { openPublishedClient, startDoorNode, type PublishedClient } from './kit.ts';
import { listenAt, subscribe } from './socket-kit.ts';

const patience = { timeout: 240_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startDoorNode();
  client = await openPublishedClient(node, [1_000_000]);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

test('what it pays is paid, and the preimage that it is shown opens the payment hash', patience, async () => {
  const { bolt11, hash } = await node.invoice(50_000);
  const { preimage, amount } = await client.swaps.sendLightningPayment({ invoice: bolt11 });
  const fees = await client.provider.getSubmarineFees();
  expect(
    createHash('sha256')
      .update(Buffer.from(preimage ?? '', 'hex'))
      .digest('hex'),
  ).toBe(hash);
  expect(amount).toBe(50_000 + Math.ceil((50_000 * fees.percentage) / 100) + fees.minerFees);
});

test('a client that fails at a currency it does not know is named no ARK, and every other is', async () => {
  const namesIn = async (kind: string, headers: Record<string, string>) => {
    const pairs = (await (await fetch(`${node.url}/v2/swap/${kind}`, { headers })).json()) as Record<string, object>;
    return Object.entries(pairs).flatMap(([from, targets]) => [from, ...Object.keys(targets)]);
  };
  const go = { 'user-agent': 'Go-http-client/1.1' };
  for (const kind of ['submarine', 'reverse', 'chain'])
    expect([
      (await namesIn(kind, { ...go, referral: '' })).includes('ARK'),
      (await namesIn(kind, go)).includes('ARK'),
      (await namesIn(kind, { referral: 'wallet' })).includes('ARK'),
    ]).toEqual([false, true, true]);
});

test(
  'what the node cannot swap now is listed with nothing in it, and the client reads the rest',
  patience,
  async () => {
    const listed = async (kind: string) => ((await node.get(`/v2/swap/${kind}`))['ARK'] ?? {}) as Record<string, Json>;
    const most = async () =>
      Number(((await listed('submarine'))['BTC']?.['limits'] as Json | undefined)?.['maximal'] ?? 0);
    expect(await most()).toBeGreaterThan(0);
    await node.owner('POST', '/sandbox/arkade/fault', { operator: 'away' });
    await eventually(most, (now) => now === 0);
    const nothing = { limits: { minimal: 0, maximal: 0, maximalZeroConf: 0 } };
    expect(await listed('submarine')).toMatchObject({ BTC: nothing });
    expect(await listed('chain')).toMatchObject({ BTC: nothing });
    // One that was told nothing before.
    const fresh = new BoltzSwapProvider({ apiUrl: node.url, network: 'regtest' });
    await expect(fresh.getSubmarineFees()).resolves.toEqual({ percentage: 0, minerFees: 0 });
    await node.owner('POST', '/sandbox/arkade/fault', { operator: 'back' });
    await eventually(most, (now) => now > 0);
  },
);

test('what cannot be paid comes back by our signature, long before its timeout', patience, async () => {
  const { bolt11, hash } = await node.invoice(40_000, { hold: true });
  const swap = await client.swaps.createSubmarineSwap({ invoice: bolt11 });
  const before = await client.wallet.getBalance();
  await client.wallet.send({ address: swap.response.address ?? '', amount: swap.response.expectedAmount });
  await eventually(
    () => client.provider.getSwapStatus(swap.id),
    ({ status }) => status === 'invoice.pending',
  );
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'fails' });
  await eventually(
    () => client.provider.getSwapStatus(swap.id),
    ({ status }) => status === 'invoice.failedToPay',
  );
  const outcome = await client.swaps.refundVHTLC({ ...swap, status: 'invoice.failedToPay' });
  expect(outcome).toEqual({ swept: 1, skipped: 0 });
  await eventually(
    () => client.wallet.getBalance(),
    ({ available }) => available === before.available,
  );
  // The node sees the refund at its next look.
  await eventually(
    async () => text(await node.get(`/v2/swap/${swap.id}`), 'status'),
    (status) => status === 'swap.expired',
  );
});

test('after its timeout it takes its coin back alone, whatever the node answers', patience, async () => {
  const { bolt11, hash } = await node.invoice(30_000, { hold: true });
  const swap = await client.swaps.createSubmarineSwap({ invoice: bolt11 });
  const before = await client.wallet.getBalance();
  await client.wallet.send({ address: swap.response.address ?? '', amount: swap.response.expectedAmount });
  const becomes = (word: string) =>
    eventually(
      () => client.provider.getSwapStatus(swap.id),
      ({ status }) => status === word,
    );
  await becomes('invoice.pending');
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'fails' });
  await becomes('invoice.failedToPay');
  await node.owner('PATCH', '/owner/settings', { boltz: { enabled: false } });
  const refund = () => client.swaps.refundVHTLC({ ...swap, status: 'invoice.failedToPay' });
  expect(await refund()).toMatchObject({ swept: 0, skipped: 1 });
  const timeout = swap.response.timeoutBlockHeights?.refund ?? 0;
  await node.advanceTo(timeout + 1);
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 12 });
  // It goes by its own clock, and the operator by that of the chain.
  vi.useFakeTimers({ toFake: ['Date'], now: (timeout + 1) * 1_000 });
  await eventually(refund, ({ swept }) => swept === 1).finally(() => vi.useRealTimers());
  await eventually(
    () => client.wallet.getBalance(),
    ({ available }) => available === before.available,
  );
  await node.owner('PATCH', '/owner/settings', { boltz: { enabled: true } });
});

test('its own socket is cut in the middle, and hears what it missed and what comes then', patience, async () => {
  const gate = await openGate({ host: '127.0.0.1', port: Number(new URL(node.url).port) });
  await node.owner('PATCH', '/owner/settings', { http: { hostnames: [`127.0.0.1:${gate.port}`] } });
  const words: string[] = [];
  let connections = 0;
  // No look by a timer but the one that follows each connection.
  const never = 3_600_000;
  const watching = await openPublishedClient(node, [100_000, 100_000], {
    apiUrl: `http://127.0.0.1:${gate.port}`,
    swapManager: {
      ...{ pollInterval: never, pollRetryDelayMs: never, maxPollIntervalMs: never, reconnectDelayMs: 100 },
      events: {
        onSwapUpdate: ({ id, status }) => void words.push(`${id} ${status}`),
        onWebSocketConnected: () => void (connections += 1),
      },
    },
  });
  const pay = async () => {
    const { bolt11, hash } = await node.invoice(20_000, { hold: true });
    const { id, response } = await watching.swaps.createSubmarineSwap({ invoice: bolt11 });
    await watching.wallet.send({ address: response.address ?? '', amount: response.expectedAmount });
    await expect.poll(() => words).toContain(`${id} invoice.pending`);
    return {
      id,
      settle: () => node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'settles' }),
    };
  };
  const [one, other] = [await pay(), await pay()];
  expect(connections).toBe(1);
  await gate.shut();
  await one.settle();
  await eventually(
    async () => text(await node.get(`/v2/swap/${one.id}`), 'status'),
    (status) => status === 'transaction.claimed',
  );
  expect(words).not.toContain(`${one.id} transaction.claimed`);
  await gate.open();
  await expect.poll(() => words).toContain(`${one.id} transaction.claimed`);
  expect(connections).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await other.settle();
  await expect.poll(() => words).toContain(`${other.id} transaction.claimed`);
  await watching.close();
  await gate.shut();
});

test('a node that is killed in the middle, and a socket that is cut, lose nothing of it', patience, async () => {
  const { bolt11, hash } = await node.invoice(45_000, { hold: true });
  const swap = await client.swaps.createSubmarineSwap({ invoice: bolt11 });
  await client.wallet.send({ address: swap.response.address ?? '', amount: swap.response.expectedAmount });
  await eventually(
    () => client.provider.getSwapStatus(swap.id),
    ({ status }) => status === 'invoice.pending',
  );
  const before = await listenAt(node);
  before.say(subscribe(swap.id));
  await node.restart('SIGKILL');
  await before.closed;
  const again = new BoltzSwapProvider({ apiUrl: node.url, network: 'regtest' });
  const words: string[] = [];
  const over = again.monitorSwap(swap.id, (status) => void words.push(status));
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'settles' });
  await over;
  expect(words.at(-1)).toBe('transaction.claimed');
  const { preimage } = await again.getSwapPreimage(swap.id);
  expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(hash);
});
