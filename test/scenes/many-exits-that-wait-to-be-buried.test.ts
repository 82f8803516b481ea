import { afterEach, beforeEach, expect, test } from 'vitest';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { NodeOptions } from '../support/node.ts';
import { deposit, inMempool } from '../support/bitcoin-wallet.ts';
import { payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const options: NodeOptions = { bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } };
const atOnce = 20;

let scene: Scene;
let coins: Outpoint[];
beforeEach(async () => {
  scene = await openScene(options);
  await deposit(scene, ...Array.from({ length: atOnce + 1 }, () => 60_000));
});
afterEach(() => scene.end());

async function look(): Promise<void> {
  await scene.node.networks.refresh();
  await scene.node.exits.look();
  await scene.node.unilateralExits.look();
}

/** Comes to the wallet as often as coins go at once, beside what is there; their ways are saved. */
async function walletOf(amount: bigint): Promise<void> {
  const { world, node } = scene;
  const { address } = await node.ports.arkade!.address();
  for (let i = 0; i < atOnce; i++) world.faucet(address, amount);
  await world.mine(1);
  await eventually(async () => {
    await look();
    return node.store.exits.coins().length > atOnce;
  }, 'every way is saved');
}

/**
 * One coin more than may leave at once, each of a swap that we must claim, the last ones once that is called; their
 * operator is gone.
 */
async function claiming(amountOf = (_: number) => 100_000n, later = 0): Promise<() => Promise<void>> {
  const swaps: Awaited<ReturnType<typeof payArkadeLightning>>[] = [];
  for (let i = 0; i <= atOnce; i++) swaps.push(await payArkadeLightning(scene, { amount: amountOf(i) }));
  await scene.world.mine(1);
  for (let tries = 0; tries < 10 && scene.node.store.exits.coins().length <= atOnce; tries++) await look();
  scene.world.operator.faults.away();
  coins = swaps.map(({ coin }) => coin);
  const claim = async (some: typeof swaps): Promise<void> => {
    for (const { release } of some) release('settles');
    for (const { record } of some) await scene.node.until(record.id, 'claiming');
  };
  const first = swaps.length - later;
  await claim(swaps.slice(0, first));
  return () => claim(swaps.slice(first));
}

/** Away for so long that what a swap must take leaves it, in all of which no block comes. */
async function goneFor(hours: number): Promise<void> {
  for (let minutes = 0; minutes <= hours * 60; minutes += 10) {
    await scene.world.pass(600);
    await look();
  }
}

/** Coins of which a job is open. */
function leaving(): string[] {
  return [...scene.node.runtime.workingSet.all()]
    .filter(({ machine }) => machine.name === 'unroll-arkade')
    .map(({ row }) => outpointKey((row.terms as { coin: Outpoint }).coin));
}

function onChain(): number {
  return coins.filter(({ txid }) => (scene.world.bitcoin.transaction(txid)?.height ?? null) !== null).length;
}

/** As many as may leave at once lie in the last block; what brought them there. */
async function firstOnChain(): Promise<string[]> {
  await claiming();
  await goneFor(12.2);
  expect([coins.length, leaving().length]).toEqual([atOnce + 1, atOnce]);
  await eventually(() => inMempool(scene).length === 2 * atOnce, 'each goes with a child of its own');
  const sent = inMempool(scene);
  await scene.world.mine(1);
  expect(onChain()).toBe(atOnce);
  return sent;
}

test('fault 278, bitcoin: what lies on the chain in one block keeps no other coin from leaving', async () => {
  await firstOnChain();
  await look();
  expect(leaving()).toEqual(expect.arrayContaining(coins.map(outpointKey)));
  await eventually(() => inMempool(scene).length === 2, 'the last one goes too');
}, 120_000);

test('fault 278, bitcoin: what a reorganisation took off the chain counts as on its way again', async () => {
  const sent = await firstOnChain();
  scene.world.bitcoin.reorg(1, sent);
  await look();
  expect([onChain(), leaving().length]).toEqual([0, atOnce]);
  await eventually(async () => {
    await scene.world.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return onChain() === atOnce;
  }, 'they are brought there again');
  await look();
  expect(leaving()).toHaveLength(atOnce + 1);
}, 120_000);

test('fault 278, bitcoin: small coins whose fees no block takes keep no larger one from leaving', async () => {
  const claimLarge = await claiming((i) => (i < atOnce ? 20_000n : 300_000n), 1);
  const [large] = coins.slice(-1).map(outpointKey);
  await goneFor(12.2);
  expect(leaving()).toHaveLength(atOnce);
  await claimLarge();
  scene.world.bitcoin.setFeeRate(80);
  scene.world.bitcoin.setMempoolMinimum(80);
  await scene.world.mine(3);
  expect(onChain()).toBe(0);
  await look();
  expect(leaving()).toContain(large);
  await eventually(() => inMempool(scene).length === 2, 'the large one goes');
}, 120_000);

test('fault 315, bitcoin: an exit is begun by the fee that it goes at, and takes no place otherwise', async () => {
  await claiming((i) => (i < atOnce ? 20_000n : 300_000n));
  Object.assign(scene.world.estimates, { first: 80, within: { 6: 1 } });
  await goneFor(12.2);
  expect(leaving()).toEqual(coins.slice(-1).map(outpointKey));
}, 120_000);

test('fault 315, arkade: coins that a stranger sent to the wallet take no place of what a swap must take', async () => {
  const { world, node } = scene;
  const { coin, record, release } = await payArkadeLightning(scene);
  await walletOf(100_000n);
  world.operator.faults.away();
  await node.unilateralExits.leave();
  expect(leaving()).toHaveLength(atOnce);
  release('settles');
  await node.until(record.id, 'claiming');
  await goneFor(12.2);
  expect(leaving()).toContain(outpointKey(coin));
}, 120_000);

test('fault 315, arkade: of more coins than go at once the owner gets the next ones then', async () => {
  const { world, node } = scene;
  await walletOf(100_000n);
  expect(await node.unilateralExits.leave()).toMatchObject({ jobs: { length: atOnce } });
  expect(await node.unilateralExits.leave()).toMatchObject({
    sentence: expect.stringMatching(/^20 coins .* are on their way/),
  });
  await eventually(() => inMempool(scene).length === 2 * atOnce, 'each goes with a child of its own');
  await world.mine(1);
  expect(await node.unilateralExits.leave()).toMatchObject({
    jobs: { length: node.store.ownCoins.all().length - atOnce },
  });
}, 120_000);

test('fault 315, arkade: of dust that a stranger sent to the wallet one alert speaks', async () => {
  const { node } = scene;
  await walletOf(700n);
  const alerts: string[] = [];
  node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
  await node.unilateralExits.leave();
  expect(alerts.filter((sentence) => sentence.includes('it waits for lower fees'))).toHaveLength(1);
}, 120_000);

test('fault 315, arkade: our lock for a coin on another network leaves as early as any', async () => {
  const { world, node, client } = scene;
  const record = await client.createBitcoinArkade(node, 100_000n, client.secret());
  client.payBitcoin(record);
  await world.mine(1);
  await eventually(() => node.status(record.id) === 'serverfunded', 'the VHTLC is locked');
  const [lock] = await client.coins(record);
  await world.mine(1);
  await eventually(async () => {
    await look();
    return lock !== undefined && node.store.exits.has(lock.outpoint);
  }, 'its way is saved');
  world.operator.faults.away();
  await world.advance(13 * 3_600);
  await goneFor(12.2);
  const jobs = [...node.runtime.workingSet.all()].filter(({ machine }) => machine.name === 'unroll-arkade');
  const deadlines = jobs.map(({ row }) => 'deadline' in (row.terms as object));
  expect([leaving(), deadlines]).toEqual([[lock === undefined ? '' : outpointKey(lock.outpoint)], [true]]);
}, 120_000);
