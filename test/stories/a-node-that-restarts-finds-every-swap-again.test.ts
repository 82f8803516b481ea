import { afterAll, beforeAll, expect, test } from 'vitest';
import { whole } from './client/http.ts';
import type { Client, Received } from './client/client.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
});

afterAll(() => node.stop());

async function locked(client: Client): Promise<{ swap: Received; hash: string }> {
  const swap = await client.lightningToArkade({ source: 20_000 });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  return { swap, hash };
}

test('after a stop, swaps that waited in every state go on to their end', async () => {
  // The same keys before and after: the client keeps its place at the operator, whose address does not change.
  const client = await node.client();
  const operator = (await node.owner('GET', '/sandbox'))['arkade'];

  const pending = await client.lightningToArkade({ source: 20_000 });
  const open = await locked(client);
  const unfunded = await client.arkadeToLightning((await node.invoice(20_000)).bolt11);
  const hanging = await node.invoice(20_000);
  const paying = await client.arkadeToLightning(hanging.bolt11);
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
  await node.faucet(paying.vhtlc.address, paying.price);
  await node.until(paying, 'serverfunded');
  const refundable = await client.arkadeToLightning((await node.invoice(20_000)).bolt11);
  await node.faucet(refundable.vhtlc.address, refundable.price - 1);
  await node.until(refundable, 'clientinvalidfunded');
  // The signature left the node before it died: the swap must stay closed for ever.
  const half = await client.cosigned(refundable);

  await node.restart('SIGTERM');
  expect((await node.owner('GET', '/sandbox'))['arkade']).toEqual(operator);
  const now = await node.client();
  const again = { ...now, arkade: client.arkade };

  await node.pay(pending.bolt11);
  await node.until(pending, 'serverfunded');
  await client.arkade.claim(pending.vhtlc, pending.secret);
  await node.until(pending, 'serverredeemed');

  await client.arkade.claim(open.swap.vhtlc, open.swap.secret);
  await node.until(open.swap, 'serverredeemed');
  expect(await node.payment(open.hash)).toBe('settled');

  await node.faucet(unfunded.vhtlc.address, unfunded.price);
  await node.until(unfunded, 'serverredeemed');

  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hanging.hash, outcome: 'settles' });
  await node.until(paying, 'serverredeemed');
  expect(await node.payment(hanging.hash)).toBe('settled');

  await again.arkade.finishRefund(half);
  await node.until(refundable, 'clientrefunded');
});

test('after a kill, a claim made meanwhile is seen, and a payment that was never claimed goes back', async () => {
  const client = await node.client();
  const [claimed, left] = [await locked(client), await locked(client)];
  const locktime = whole(left.swap.record, 'vhtlc_refund_locktime');
  // Claimed and killed in the same moment: the node learns of it by looking after the start, or had just seen it.
  await client.claim(claimed.swap);
  await node.restart('SIGKILL');
  await node.until(claimed.swap, 'serverredeemed');
  await node.advanceTo(locktime + 60);
  await node.until(left.swap, 'clientrefundedserverrefunded');
  expect([await node.payment(claimed.hash), await node.payment(left.hash)]).toEqual(['settled', 'failed']);
});
