// A node as `npm start` starts it, and no other hand than the payers': each direction as its client and as its
// provider, side by side.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { takerDirections, type TakerDirection } from '../../engine/domain/chain.ts';
import { everyDirection, patienceMs, type EveryDirection } from '../stories/every-direction.ts';
import { payFromOutside } from '../stories/pay-from-outside.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';
import { npmStart } from '../support/npm-start.ts';

const amount = 40_000;

let node: WireNode;
let every: EveryDirection;
let orders: ReadonlyMap<TakerDirection, TakerSwap>;

beforeAll(async () => {
  node = await startWireNode({ program: npmStart.arguments, mode: [], environment: npmStart.environment });
  every = await everyDirection(node);
  orders = await openAll();
}, 300_000);
afterAll(() => node?.stop(), 60_000);

/** All are opened before any is paid: two wait for tokens at one account, and either would take those of the other. */
async function openAll(): Promise<Map<TakerDirection, TakerSwap>> {
  const opened = new Map<TakerDirection, TakerSwap>();
  for (const direction of takerDirections) opened.set(direction, await every.open(direction));
  return opened;
}

describe.concurrent('a node as npm start starts it', () => {
  test.each(takerDirections)(
    '%s: as its own client, what was agreed arrives',
    async (direction) => {
      const shown = orders.get(direction);
      if (shown === undefined) throw new Error('it was not opened');
      const { id } = shown;
      const { normal_until: until, now } = shown.times;
      if (until !== null && now !== null) expect(until - now).toBeGreaterThan(3_600);
      await payFromOutside(node, shown);
      const ended = await eventually(
        () => every.swapOf(id),
        ({ open }) => !open,
        patienceMs,
      );
      expect([ended.outcome, ended.get.amount]).toEqual(['finished', shown.get.amount]);
    },
    2 * patienceMs,
  );

  test.each(takerDirections)(
    '%s: as provider of a plain client, what was agreed is given and taken',
    async (direction) => {
      const swap = await every.serve(direction);
      await node.until(swap, 'serverredeemed', patienceMs);
    },
    2 * patienceMs,
  );
});

test('a held payment survives fifty quick blocks, and is settled once its client claims', async () => {
  const client = await node.client();
  const swap = await client.lightningToArkade({ target: amount });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 50 });
  expect(await node.payment(hash)).toBe('in_flight');
  await client.claim(swap);
  await node.until(swap, 'serverredeemed');
  expect(await node.payment(hash)).toBe('settled');
}, 120_000);
