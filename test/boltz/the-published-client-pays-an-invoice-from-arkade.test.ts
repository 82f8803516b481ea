import { BoltzSwapProvider } from '@arkade-os/boltz-swap';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
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
  // The client sees its own coin before the node looks.
  await eventually(
    () => node.get(`/v2/swap/${swap.id}`),
    (now) => text(now, 'status') === 'swap.expired',
  );
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
