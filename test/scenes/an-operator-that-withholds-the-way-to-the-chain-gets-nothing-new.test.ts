import { afterEach, beforeEach, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { accepted } from '../support/bitcoin-wallet.ts';
import { payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/** Of three coins of 2,500,000 sats. */
const most = 7_000_000;

let scene: Scene;
let show: () => void;
beforeEach(async () => {
  scene = await openScene({
    coins: { count: 3, sats: 2_500_000n },
    maxUnsavedSats: most,
  });
  const indexer = scene.world.operator.indexer as { virtualTxs: (txids: readonly string[]) => string[] };
  const { virtualTxs } = indexer;
  indexer.virtualTxs = (txids) => virtualTxs(txids).slice(1);
  show = () => void (indexer.virtualTxs = virtualTxs);
});
afterEach(() => scene.end());

/** The node looks at the ways of all that it has, and time passes. */
async function pass(seconds: number): Promise<void> {
  await scene.node.networks.refresh();
  await scene.node.exits.look();
  await scene.world.pass(seconds);
  await scene.node.networks.refresh();
}

async function arkade() {
  return accepted(await scene.node.service.owner.status()).networks.find(({ name }) => name === 'arkade');
}

test('it is told how much could not leave, and refused with a sentence once that is too much', async () => {
  await pass(0);
  const young = await arkade();
  const invoice = scene.world.invoice(60_000n).bolt11;
  await pass(660);
  const old = await arkade();
  await expect(scene.client.createArkadeLightning(scene.node, invoice, 60_000n)).rejects.toThrow(
    /ceiling is reached \(7500000 sats at the Arkade operator have no saved exit, 7000000 may\)/,
  );
  expect([young?.unsaved_sats, old?.unsaved_sats, old?.detail]).toEqual([
    0,
    7_500_000,
    expect.stringMatching(/have no saved exit, 7000000 may: new swaps over Arkade wait/),
  ]);
});

test('a restart forgives nothing', async () => {
  await pass(660);
  await scene.restart();
  await scene.node.networks.refresh();
  expect((await arkade())?.unsaved_sats).toBe(7_500_000);
});

test('a lock of a swap that is open waits for it, a claim does not, and all goes on once the way is shown', async () => {
  const { world, client, node } = scene;
  await pass(570);
  const waiting = await client.createLightningArkade(node, 100_000n, client.secret());
  const { record, hash, release } = await payArkadeLightning(scene);
  await eventually(
    () => world.lightning.invoice('outside', toHex(hash))?.state === 'accepted',
    'the payee holds the payment',
  );
  await pass(60);
  world.pay(waiting.bolt11_invoice);
  await node.until(waiting.id, 'funded');
  release('settles');
  await node.until(record.id, 'claimed');
  await eventually(() => node.logged.some((line) => line.includes('have no saved exit')), 'the lock waits');
  const during = node.at(waiting.id);
  const locks = node.store.transactions.of(waiting.id).length;
  show();
  await world.mine(1);
  await eventually(async () => {
    await node.exits.look();
    return ((await arkade())?.unsaved_sats ?? 1) === 0;
  }, 'the ways are saved');
  await node.until(waiting.id, 'locked');
  expect({ during, locks }).toEqual({ during: 'funded', locks: 0 });
});

test('without a bound nothing waits', async () => {
  await scene.end();
  scene = await openScene({ maxUnsavedSats: 0 });
  await scene.world.advance(660);
  await scene.node.networks.refresh();
  const { record } = await payArkadeLightning(scene);
  expect([record.status, ((await arkade())?.unsaved_sats ?? 0) > 0]).toEqual(['pending', true]);
});
