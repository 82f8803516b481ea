import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { hour, unix, type Unix } from '../../engine/domain/time.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { anyFailure } from '../support/failure.ts';
import { payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const atOnce = 20;

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } });
  await deposit(scene, 60_000, 60_000, 60_000);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await scene.end();
});

async function look(): Promise<void> {
  await scene.node.networks.refresh();
  await scene.node.exits.look();
  await scene.node.unilateralExits.look();
}

/** So many coins come to the wallet, of so many sats each, and with them the way of every coin is saved. */
async function sent(count: number, sats: bigint): Promise<Outpoint[]> {
  const { world, node } = scene;
  const { address } = await node.ports.arkade!.address();
  const coins = Array.from({ length: count }, () => world.faucet(address, sats));
  await world.mine(1);
  await eventually(async () => {
    await look();
    return coins.every((coin) => node.store.exits.has(coin));
  }, 'every way is saved');
  return coins;
}

function expiring(coins: readonly Outpoint[], at: Unix): void {
  const { exits } = scene.node.store;
  const expiresAt = exits.expiresAt.bind(exits);
  const keys = new Set(coins.map(outpointKey));
  vi.spyOn(exits, 'expiresAt').mockImplementation((coin) => (keys.has(outpointKey(coin)) ? at : expiresAt(coin)));
}

/** Coins of which a job is open. */
function leaving(): string[] {
  return [...scene.node.runtime.workingSet.all()]
    .filter(({ machine }) => machine.name === 'unroll-arkade')
    .map(({ row }) => outpointKey((row.terms as { coin: Outpoint }).coin));
}

test('fault 315, arkade: dust in the wallet that the chain tells nothing of keeps no swap from leaving', async () => {
  const { world, node } = scene;
  const dust = await sent(3, 700n);
  const { coin, record, release } = await payArkadeLightning(scene);
  await world.mine(1);
  await eventually(async () => {
    await look();
    return node.store.exits.has(coin);
  }, 'its way is saved');
  world.operator.faults.away();
  release('settles');
  await node.until(record.id, 'claiming');
  for (let minutes = 0; minutes < 11 * 60; minutes += 10) {
    await world.pass(600);
    await look();
  }
  expiring(dust, unix(world.now() + hour));
  const bitcoin = node.ports.bitcoin!;
  const transaction = bitcoin.transaction.bind(bitcoin);
  vi.spyOn(bitcoin, 'transaction').mockImplementation(async (txid) => {
    if (dust.some((one) => one.txid === txid)) throw anyFailure('away', 'safe', 'no source answers');
    return transaction(txid);
  });
  for (let minutes = 0; minutes < 2 * 60; minutes += 10) {
    await world.pass(600);
    await look().catch(() => undefined);
  }
  expect(leaving()).toEqual([outpointKey(coin)]);
}, 120_000);

test('fault 315, bitcoin: of dust in the wallet the chain is asked about a few coins in a look', async () => {
  const dust = await sent(2 * atOnce, 700n);
  const questions = vi.spyOn(scene.node.ports.bitcoin!, 'transaction');
  await scene.node.unilateralExits.leave();
  const ids = new Set(questions.mock.calls.map(([txid]) => txid));
  expect(dust.filter(({ txid }) => ids.has(txid))).toHaveLength(atOnce);
}, 120_000);

test('fault 315, arkade: a coin of the wallet whose batch ends goes before larger ones with time left', async () => {
  const [small] = await sent(1, 50_000n);
  await sent(atOnce, 100_000n);
  expiring([small!], unix(scene.world.now() + hour));
  await scene.node.unilateralExits.leave();
  expect(leaving()).toHaveLength(atOnce);
  expect(leaving()).toContain(outpointKey(small!));
}, 120_000);

test('fault 315, arkade: behind many coins that cannot be begun one that can be is', async () => {
  const large = new Set((await sent(atOnce, 100_000n)).map(outpointKey));
  const [small] = await sent(1, 50_000n);
  const { exits } = scene.node.store;
  const pathOf = exits.path.bind(exits);
  vi.spyOn(exits, 'path').mockImplementation((coin) => {
    const path = pathOf(coin);
    return path === null || !large.has(outpointKey(coin)) ? path : { ...path, roots: [] };
  });
  await scene.node.unilateralExits.leave();
  expect(leaving()).toContain(outpointKey(small!));
}, 120_000);
