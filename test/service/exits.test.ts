import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { createExits } from '../../engine/service/exits.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

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
