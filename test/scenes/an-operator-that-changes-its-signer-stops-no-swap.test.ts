import { afterEach, beforeEach, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openClient } from '../support/client.ts';
import { payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

const day = 86_400;

test('swaps of before end under the old key, the wallet moves to the new one, new swaps are made with it', async () => {
  const { world, client, node } = scene;
  const total = await scene.walletTotal();
  const before = (await node.ports.arkade!.info()).signer;
  const { record: paying, release } = await payArkadeLightning(scene);
  const [one, two] = [client.secret(), client.secret()];
  const locked = await client.createLightningArkade(node, 100_000n, one);
  world.pay(locked.bolt11_invoice);
  await node.until(locked.id, 'locked');
  const unclaimed = await client.createLightningArkade(node, 100_000n, two);
  world.pay(unclaimed.bolt11_invoice);
  await node.until(unclaimed.id, 'locked');

  world.operator.rotateSigner(2 * day);
  await eventually(
    async () => toHex((await node.ports.arkade!.info()).signer) !== toHex(before),
    'the new signer is known',
  );
  const { available, recoverable } = await node.ports.arkade!.balance([]);
  await node.renewal.check();
  const renewed = await node.ports.arkade!.balance([]);
  expect({ before: [available, recoverable > 0n], after: [renewed.available, renewed.recoverable] }).toEqual({
    before: [0n, true],
    after: [recoverable, 0n],
  });

  release('settles');
  await node.until(paying.id, 'claimed');
  await client.claim(locked, one);
  await node.until(locked.id, 'claimed');
  await world.advance(unclaimed.vhtlc_refund_locktime - world.now() + 60);
  await node.until(unclaimed.id, 'refunded');
  expect({
    payments: [one, two].map((secret) => world.paid(sha256Of(secret))),
    wallet: await scene.walletTotal(),
  }).toEqual({ payments: ['settled', 'failed'], wallet: total + price - 99_750n });

  const later = await openClient(world, 201);
  // Clients of these tests have the same secrets in the same order.
  const [, , secret] = [later.secret(), later.secret(), later.secret()];
  await node.networks.refresh();
  const fresh = await later.createLightningArkade(node, 50_000n, secret);
  world.pay(fresh.bolt11_invoice);
  await node.until(fresh.id, 'locked');
  await later.claim(fresh, secret);
  await node.until(fresh.id, 'claimed');
  expect(fresh.arkade_server_pk).not.toBe(toHex(before));
});
