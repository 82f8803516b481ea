import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole } from './client/http.ts';
import type { Client, Received } from './client/client.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
});

afterAll(() => node.stop());

async function locked(): Promise<{ swap: Received; hash: string }> {
  const swap = await client.lightningToArkade({ source: 30_000 });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  return { swap, hash };
}

/** In the Arkade wallet, and how much of it is promised. */
async function wallet(): Promise<{ sats: number; promised: string | undefined }> {
  const { balances } = (await node.owner('GET', '/owner/balances')) as {
    balances: { network: string; available: string; pending: string; reserved: string; locked: string }[];
  };
  const arkade = balances.find(({ network }) => network === 'arkade');
  return {
    sats: Number(arkade?.available) + Number(arkade?.pending) + Number(arkade?.reserved),
    promised: arkade?.reserved,
  };
}

test('the service takes its coin back after the locktime and only then cancels the held payment', async () => {
  const before = await wallet();
  const { swap, hash } = await locked();
  const locktime = whole(swap.record, 'vhtlc_refund_locktime');
  await node.advanceTo(locktime - 120);
  expect([await client.status(swap), await node.payment(hash)]).toEqual(['serverfunded', 'in_flight']);
  await node.advanceTo(locktime + 60);
  await node.until(swap, 'clientrefundedserverrefunded');
  const { journal } = (await node.owner('GET', `/owner/swaps/${swap.id}`)) as {
    journal: { from: string; to: string }[];
  };
  expect({
    payment: await node.payment(hash),
    spent: (await client.arkade.coins(swap.vhtlc)).map((coin) => coin.isSpent),
    end: journal
      .map(({ to }) => to)
      .filter((to, i, all) => to !== all[i - 1])
      .slice(-3),
    wallet: await wallet(),
  }).toEqual({ payment: 'failed', spent: [true], end: ['refunding', 'returned', 'refunded'], wallet: before });
});

test('an invoice that nobody pays expires, promises nothing and cannot be paid any more', async () => {
  const before = await wallet();
  const swap = await client.lightningToArkade({ source: 30_000 });
  const promised = { sats: before.sats, promised: text(swap.record, 'target_amount') };
  expect(await wallet()).toEqual(promised);
  await node.advance(1_801);
  await node.until(swap, 'expired');
  await expect(node.pay(swap.bolt11)).rejects.toThrow(/invoice expired/);
  expect([await client.arkade.coins(swap.vhtlc), await wallet()]).toEqual([[], before]);
});

test('an operator that stays away is the reason to give the held payment back', async () => {
  const swap = await client.lightningToArkade({ source: 30_000 });
  await node.owner('POST', '/sandbox/arkade/fault', { operator: 'away' });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'clientfunded');
  await node.advanceTo(whole(swap.record, 'vhtlc_refund_locktime') - 3_600);
  await node.until(swap, 'serverwontfund');
  await node.owner('POST', '/sandbox/arkade/fault', { operator: 'back' });
  expect([await node.payment(hash), await client.arkade.coins(swap.vhtlc)]).toEqual(['failed', []]);
});
