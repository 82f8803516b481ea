import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checklist, Rehearsal } from '../../engine/contract/owner/checklist.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../../engine/domain/chain.ts';
import type { Json } from './client/http.ts';
import { payFromOutside } from './pay-from-outside.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

const chainId = 137;

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
  await node.owner('PATCH', '/owner/settings', { live: false });
}, 120_000);
afterAll(() => node.stop());

async function rehearse(direction: TakerDirection): Promise<Rehearsal> {
  const request = {
    direction,
    ...(direction.includes('evm') ? { evm_chain_id: chainId } : {}),
    ...(takerInvoices[direction] === 'owner' ? { invoice: (await node.invoice(20_000)).bolt11 } : {}),
  };
  return (await node.owner('POST', '/owner/checklist/rehearse', request)) as unknown as Rehearsal;
}

async function swapOf(id: string): Promise<TakerSwap> {
  return (await node.owner('GET', `/owner/taker/swaps/${id}`)) as unknown as TakerSwap;
}

async function rehearsals(): Promise<Record<string, string>> {
  const { steps } = (await node.owner('GET', '/owner/checklist')) as unknown as Checklist;
  return Object.fromEntries(
    steps.filter(({ part }) => part === 'rehearsal').map(({ id, state }) => [id.replace('rehearsal:', ''), state]),
  );
}

const own = (direction: TakerDirection) => (direction.includes('evm') ? `${direction}:evm:${chainId}` : direction);

test('every pair is swapped with the node itself while strangers are offered none', async () => {
  await eventually(rehearsals, (all) => takerDirections.every((one) => all[own(one)] === 'todo'), 60_000);
  const begun = await Promise.all(
    takerDirections.map(async (direction) => ({ direction, ...(await rehearse(direction)) })),
  );
  expect(begun.filter(({ paid }) => paid).map(({ direction }) => direction)).toEqual(
    takerDirections.filter((name) => name.startsWith('arkade-') || name.startsWith('bitcoin-')),
  );
  // Two wait for tokens at one account, and either would take those of the other: where to pay is read before any is.
  const unpaid = await Promise.all(
    begun
      .filter(({ paid }) => !paid)
      .map(({ id }) =>
        eventually(
          () => swapOf(id),
          ({ phase }) => phase === 'pay',
          30_000,
        ),
      ),
  );
  for (const swap of unpaid) await payFromOutside(node, swap);
  let block = performance.now();
  const over = await eventually(
    async () => {
      if (performance.now() - block > 2_000) {
        await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
        block = performance.now();
      }
      return Promise.all(begun.map(({ id }) => swapOf(id)));
    },
    (swaps) => swaps.every(({ open }) => !open),
    180_000,
  );
  expect(over.map(({ direction, outcome }) => [direction, outcome])).toEqual(
    takerDirections.map((direction) => [direction, 'finished']),
  );
  const all = await rehearsals();
  expect(takerDirections.map((one) => all[own(one)])).toEqual(takerDirections.map(() => 'done'));
  expect((await node.get('/swap-pairs'))['pairs']).toEqual([]);
}, 300_000);

test('what is missing for one is said, and nothing is begun', async () => {
  const refused = async (body: Json) => {
    const response = await fetch(`${node.url}/owner/checklist/rehearse`, {
      method: 'POST',
      headers: { authorization: `Bearer ${node.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  expect([
    await refused({ direction: 'arkade-lightning' }),
    await refused({ direction: 'arkade-evm' }),
    await refused({ direction: 'arkade-evm', evm_chain_id: 1 }),
  ]).toEqual([
    [400, expect.stringMatching(/^invoice is missing: make one in another Lightning wallet/)],
    [400, 'evm_chain_id is missing: arkade-evm is swapped on one EVM chain.'],
    [400, expect.stringMatching(/^arkade-evm is not among the pairs of this node/)],
  ]);
}, 60_000);
