import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromHex } from '../../engine/domain/hex.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

const hour = 3_600;

test.each([30, 2_000])(
  'fault 5: a lock that the copy forgot settles the held payment, %s seconds later',
  async (later) => {
    const { record, secret, paid } = await forgottenForPayment(later);
    expect(paid()).toBe('in-flight');
    await scene.client.claim(record, secret);
    await expect.poll(paid).toBe('settled');
    expect(scene.lightning()).toBe(100_000_000n);
  },
);

test('fault 5: a lock that the copy forgot comes back, and then the payment that was held for it', async () => {
  const wallet = await scene.walletTotal();
  const { record, paid } = await forgottenForPayment(2_000);
  expect(paid()).toBe('in-flight');
  await scene.world.advance(12 * hour);
  await scene.node.until(record.id, 'refunded');
  expect(paid()).not.toBe('in-flight');
  expect([await scene.walletTotal(), scene.lightning()]).toEqual([wallet, 0n]);
});

const withBitcoin = { bitcoinWallet: true, pollMs: 25 } as const;

test.each([
  { later: 0, claims: 'after it' },
  { later: 4 * hour, claims: 'after it' },
  { later: 4 * hour, claims: 'before it' },
  { later: 20 * hour, claims: 'before it' },
] as const)(
  'fault 5, arkade: a lock that the copy forgot claims the bitcoin, $later s later, claimed $claims',
  async ({ later, claims }) => {
    const { record, secret, coin } = await forgotten();
    if (claims === 'before it') await scene.client.claim(record, secret);
    await scene.world.advance(later);
    await scene.restore({ ...withBitcoin, restored: true });
    if (claims === 'after it') {
      await scene.node.until(record.id, 'locked');
      await scene.client.claim(record, secret);
    }
    await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'our claim is sent');
    await scene.world.mine(6);
    await scene.node.until(record.id, 'claimed');
  },
);

test('fault 5, arkade: a lock that the copy forgot comes back, and then its client takes its bitcoin', async () => {
  const wallet = await scene.walletTotal();
  const { record, coin } = await forgotten();
  await scene.world.advance(13 * hour);
  await scene.restore({ ...withBitcoin, restored: true });
  await scene.node.until(record.id, 'returned');
  expect(await scene.walletTotal()).toBe(wallet);
  await scene.world.advance(12 * hour);
  scene.client.refundBitcoin(record, coin);
});

test('fault 5, arkade: what a stranger pays to our VHTLC moves no swap of a node that forgot nothing', async () => {
  await scene.restart(withBitcoin);
  const { client, node, world } = scene;
  const record = await client.createBitcoinArkade(node, 100_000n, client.secret());
  client.payBitcoin(record, BigInt(record.source_amount) - 1n);
  await world.mine(1);
  await node.until(record.id, 'stopped');
  world.faucet(record.arkade_vhtlc_address, 100_000n);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await node.runtime.wake();
  expect(node.at(record.id)).toBe('stopped');
});

/** A copy is made before a client pays over Lightning, and the node that starts on it finds its lock. */
async function forgottenForPayment(later: number) {
  const { client, world } = scene;
  const secret = client.secret();
  const record = await client.createLightningArkade(scene.node, 100_000n, secret);
  const paid = () => world.paid(fromHex(record.hash_lock.slice(2)));
  scene.backUp();
  world.pay(record.bolt11_invoice);
  await scene.node.until(record.id, 'locked');
  await scene.node.kill();
  await world.advance(later);
  await scene.restore();
  await scene.node.until(record.id, 'locked');
  return { record, secret, paid };
}

/** A copy is made before a client pays on the Bitcoin chain, and the node dies once its own lock stands. */
async function forgotten() {
  await scene.restart(withBitcoin);
  const { client, node, world } = scene;
  const secret = client.secret();
  const record = await client.createBitcoinArkade(node, 100_000n, secret);
  scene.backUp();
  const coin = client.payBitcoin(record);
  await world.mine(1);
  await node.until(record.id, 'locked');
  await node.kill();
  return { record, secret, coin };
}
