import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { createExits } from '../../../engine/service/exits/exits.ts';
import { eventually, openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

test('a script without a coin is left alone until its swap moves, and its way is saved at once then', async () => {
  const { world, client, node } = scene;
  const { arkade } = node.ports;
  if (arkade === null) throw new Error('there is no operator');
  const questions: (readonly Uint8Array[])[] = [];
  const coins: typeof arkade.coins = (scripts) => {
    questions.push(scripts);
    return arkade.coins(scripts);
  };
  const exits = createExits({ runtime: { ...node.runtime, ports: { ...node.ports, arkade: { ...arkade, coins } } } });
  const { bolt11 } = world.invoice(100_000n, { hold: true });
  const record = await client.createArkadeLightning(node, bolt11, 100_000n);
  for (let looks = 0; looks < 8; looks++) await exits.look();
  const waiting = questions.length;
  world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await node.until(record.id, 'paying');
  await exits.look();
  const then = questions.length - waiting;
  await world.mine(1);
  await eventually(async () => {
    await exits.look();
    return questions.at(-1)?.some((script) => node.store.exits.at(script).length === 1) === true;
  }, 'its way is saved');
  expect({ waiting, then }).toEqual({ waiting: 3, then: 1 });
});

test('coins whose commitment no block has shown are read twice, and once more when one shows it', async () => {
  const { world, node } = scene;
  const { arkade, bitcoin } = node.ports;
  if (arkade === null || bitcoin === null) throw new Error('there is no operator, or no chain');
  const { address } = await arkade.address();
  const coins = Array.from({ length: 12 }, () => world.faucet(address, 20_000n));
  await eventually(() => node.networks.refresh().then(() => node.store.ownCoins.all().length >= 12), 'they are listed');
  const count = { ways: 0, listed: 0, roots: 0 };
  let isMined = false;
  const ports = {
    ...node.ports,
    arkade: {
      ...arkade,
      exitTxs: (...of: Parameters<typeof arkade.exitTxs>) => (count.ways++, arkade.exitTxs(...of)),
      coinsAt: (points: readonly Outpoint[]) => ((count.listed += points.length), arkade.coinsAt(points)),
    },
    bitcoin: {
      ...bitcoin,
      transaction: (...of: Parameters<typeof bitcoin.transaction>) => (
        count.roots++,
        isMined ? bitcoin.transaction(...of) : Promise.resolve(null)
      ),
    },
  };
  const exits = createExits({ runtime: { ...node.runtime, ports } });
  for (let looks = 0; looks < 12; looks++) {
    await exits.look();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
  const waiting = { ...count };
  isMined = true;
  const tip = node.runtime.clock.now().bitcoin.height ?? 0;
  await world.mine(1);
  await eventually(() => (node.runtime.clock.now().bitcoin.height ?? 0) > tip, 'the block is read');
  await exits.look();
  const own = node.store.ownCoins.all().length;
  expect(coins.every((coin) => node.store.exits.has(coin))).toBe(true);
  expect({ waiting: waiting.ways, then: count.ways - waiting.ways }).toEqual({ waiting: 2 * own, then: own });
});

test('fault 98: dust that came to a script first keeps no way from the coin of the swap', async () => {
  const { world, client, node } = scene;
  const exits = createExits({ runtime: node.runtime });
  const { bolt11 } = world.invoice(100_000n, { hold: true });
  const record = await client.createArkadeLightning(node, bolt11, 100_000n);
  const dust = world.faucet(record.arkade_vhtlc_address, 330n);
  const saved = async (coin: Outpoint): Promise<boolean> => {
    await exits.look();
    return node.store.exits.has(coin);
  };
  await world.mine(1);
  await eventually(() => saved(dust), 'the way of the dust is saved');
  const coin = world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await node.until(record.id, 'paying');
  await world.mine(1);
  await eventually(() => saved(coin), 'the way of the coin is saved', 20_000);
});

test('fault 98: hundreds of coins at a script of somebody else’s keep no way from the coin of a swap', async () => {
  const { world, client, node } = scene;
  const exits = createExits({ runtime: node.runtime });
  const records = await Promise.all(
    [0, 1].map(() => client.createArkadeLightning(node, world.invoice(100_000n, { hold: true }).bolt11, 100_000n)),
  );
  const [flooded, record] = records;
  if (flooded === undefined || record === undefined) throw new Error('there are two swaps');
  for (let i = 0; i < 210; i++) world.faucet(flooded.arkade_vhtlc_address, 330n);
  const coin = world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await node.until(record.id, 'paying');
  await world.mine(1);
  await eventually(async () => {
    await exits.look();
    return node.store.exits.has(coin);
  }, 'the way of the coin is saved');
  expect(node.store.exits.coins().filter(({ amount }) => amount === 330n).length).toBeLessThanOrEqual(3);
});

test('fault 98: hundreds of coins in the wallet are looked at after the coin of a swap', async () => {
  const { world, client, node } = scene;
  const { arkade } = node.ports;
  if (arkade === null) throw new Error('there is no operator');
  const { address } = await arkade.address();
  const before = node.store.ownCoins.all().length;
  for (let i = 0; i < 210; i++) world.faucet(address, 330n);
  await eventually(
    () => node.networks.refresh().then(() => node.store.ownCoins.all().length >= before + 210),
    'they are listed',
  );
  const record = await client.createArkadeLightning(node, world.invoice(100_000n, { hold: true }).bolt11, 100_000n);
  const coin = world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await node.until(record.id, 'paying');
  const looks: Outpoint[] = [];
  const exitTxs: typeof arkade.exitTxs = (outpoint, ...more) => (
    looks.push(outpoint),
    arkade.exitTxs(outpoint, ...more)
  );
  const exits = createExits({ runtime: { ...node.runtime, ports: { ...node.ports, arkade: { ...arkade, exitTxs } } } });
  await exits.look();
  expect(coin).toMatchObject({ ...looks[0] });
});

test('while claims wait for a place the wallet’s coins wait too, and those of swaps do not', async () => {
  const { world, client, node } = scene;
  const { arkade } = node.ports;
  if (arkade === null) throw new Error('there is no operator');
  const { address } = await arkade.address();
  const inWallet = [1, 2, 3].map(() => world.faucet(address, 20_000n));
  await eventually(() => node.networks.refresh().then(() => node.store.ownCoins.all().length >= 3), 'they are listed');
  const record = await client.createArkadeLightning(node, world.invoice(100_000n, { hold: true }).bolt11, 100_000n);
  const ofSwap = world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await node.until(record.id, 'paying');
  await world.mine(1);
  const count = { listed: 0, ways: 0 };
  const ports = {
    ...node.ports,
    arkade: {
      ...arkade,
      coins: (...of: Parameters<typeof arkade.coins>) => (count.listed++, arkade.coins(...of)),
      exitTxs: (...of: Parameters<typeof arkade.exitTxs>) => (count.ways++, arkade.exitTxs(...of)),
    },
  };
  let crowded = true;
  const outbox = {
    ...node.runtime.outbox,
    get crowded() {
      return crowded;
    },
  };
  const exits = createExits({ runtime: { ...node.runtime, outbox, ports } });
  await eventually(() => exits.look().then(() => node.store.exits.has(ofSwap)), 'the way of the swap’s coin is saved');
  const { ways } = count;
  for (let looks = 0; looks < 5; looks++) await exits.look();
  const meanwhile = { ways: count.ways - ways, saved: inWallet.filter((coin) => node.store.exits.has(coin)).length };
  crowded = false;
  await eventually(
    () => exits.look().then(() => inWallet.every((coin) => node.store.exits.has(coin))),
    'the ways of the wallet’s coins are saved',
  );
  expect(meanwhile).toEqual({ ways: 0, saved: 0 });
});
