import { afterEach, beforeEach, expect, test } from 'vitest';
import { evmOf } from '../../engine/runtime/ports.ts';
import { serveLives } from '../crash/support/serve-lives.ts';
import { fundAlone, refundAlone } from '../stories/client/from-evm.ts';
import { evmToArkade } from '../stories/client/to-arkade.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { anyFailure } from '../support/failure.ts';
import type { NodeOptions } from '../support/node.ts';
import { evmNetworkOfWorld as network, fundEvmAccount } from '../support/node-evm.ts';
import { openScene, type Scene } from '../support/scene.ts';

/* The operator accepts our lock, its answer is lost, and it says nothing more until the client has its own again. */

const hour = 3_600;
const coin = `0x${'00'.repeat(20)}`;

let scene: Scene;
/** Methods of the operator that get no answer now. */
let away: ReadonlySet<string>;
let submissions: number;
let stops: Pick<EvmWorld, 'stop'>[];

function options(): NodeOptions {
  return {
    bitcoinWallet: true,
    pollMs: 25,
    onBoundary(what, moment) {
      if (moment !== 'before') return;
      if (away.has(what)) throw anyFailure('away', 'ask-first', `${what} gets no answer`);
      if (what !== 'arkade.submit' || submissions++ > 0) return;
      scene.world.operator.faults.loseNextSubmit();
      away = new Set(['arkade.state', 'arkade.submit']);
    },
  };
}

beforeEach(async () => {
  away = new Set();
  submissions = 0;
  stops = [];
  scene = await openScene(options());
});
afterEach(async () => {
  await scene.end();
  for (const one of stops) await one.stop();
});

/** What becomes of our lock once the operator answers again. */
async function answeredLate(id: string): Promise<readonly unknown[]> {
  const { node } = scene;
  const effects = () => node.store.effects.of(id).map((row) => [row.effect.do, row.parked !== null]);
  away = new Set();
  await expect.poll(() => effects().at(0)?.at(1) === true || node.at(id) !== 'locking', { timeout: 60_000 }).toBe(true);
  return [node.at(id), ...effects(), node.runtime.workingSet.find(id)?.row.flag !== null];
}

const unfinished = ['locking', ['vhtlc.submit', true], true];

test('fault 328, bitcoin: no lock is finished for a coin that its client took back meanwhile', async () => {
  const { world, client, node } = scene;
  const record = await client.createBitcoinArkade(node, 100_000n, client.secret());
  const theirs = client.payBitcoin(record);
  await world.mine(1);
  await node.until(record.id, 'locking');
  await expect.poll(() => submissions).toBeGreaterThan(0);
  await world.advance(26 * hour);
  client.refundBitcoin(record, theirs);
  await world.mine(1);
  expect(await answeredLate(record.id)).toEqual(unfinished);
  expect(await client.coins(record)).toEqual([]);
});

test('fault 328, bitcoin: it is finished late while its coin is surely ours, and comes back', async () => {
  const { world, client, node } = scene;
  const record = await client.createBitcoinArkade(node, 100_000n, client.secret());
  client.payBitcoin(record);
  await world.mine(1);
  await node.until(record.id, 'locking');
  await expect.poll(() => submissions).toBeGreaterThan(0);
  await world.advance(13 * hour);
  away = new Set();
  await node.until(record.id, 'returned');
});

test('fault 328, evm: no lock is finished for one that its client took back meanwhile', async () => {
  const chain = await startEvmWorld(() => scene.world.now());
  const api = await serveLives({ now: () => scene.node as never });
  stops.push(api, chain);
  await scene.restart({ ...options(), evm: chain });
  const { world, client, node } = scene;
  await fundEvmAccount(chain, evmOf(node.ports, network).account());
  await node.networks.refresh();
  const token = chain.endpoints.tokens.find(({ symbol }) => symbol === 'WBTC')?.address ?? '';
  const wish = { chainId: 137, token, gasless: false, amount: { amount_out: 50_000 } };
  const swap = await evmToArkade(api.url, { arkade: client }, wish);
  await chain.give(swap.account.address, token, swap.price);
  await chain.give(swap.account.address, coin, 10n ** 18n);
  await fundAlone(api.url, swap, chain.endpoints.rpcUrl, world.now() + hour);
  await node.until(swap.id, 'locking');
  await expect.poll(() => submissions).toBeGreaterThan(0);
  await world.advance(26 * hour);
  await refundAlone(api.url, swap, chain.endpoints.rpcUrl);
  expect(await answeredLate(swap.id)).toEqual(unfinished);
  expect(await client.coins(swap.record as never)).toEqual([]);
});
