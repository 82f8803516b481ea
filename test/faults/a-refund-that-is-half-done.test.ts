import { afterEach, beforeEach, expect, test } from 'vitest';
import { arkadeFailure } from '../../engine/legs/arkade/failures.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import { payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

/** A payment that failed, and two coins at the address: the swap's own, and one more. */
async function twoCoins() {
  const { record, release } = await payArkadeLightning(scene);
  scene.world.faucet(record.arkade_vhtlc_address, 20_000n);
  release('fails');
  await scene.node.until(record.id, 'stopped');
  await eventually(() => extrasOf(record.id).length === 2, 'both coins are listed');
  return record;
}

function extrasOf(id: string): readonly { readonly spent: boolean }[] {
  const { extras = [] } = (scene.node.store.swaps.byId(id)?.progress ?? {}) as {
    extras?: readonly { readonly spent: boolean }[];
  };
  return extras;
}

/** The node has looked at the swap again, with what the operator shows now. */
async function looked(ms = 400): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

test('fault 75: a refund of two coins is signed, and over only when the operator has made it final', async () => {
  const { client, node } = scene;
  const record = await twoCoins();
  const port = client.port as { -readonly [name in keyof ArkadePort]: ArkadePort[name] };
  const { finalize } = port;
  // The operator has accepted it, and the client, which pairs signatures in the wrong order, never makes it final.
  port.finalize = () => Promise.reject(arkadeFailure('unknown', 'ask-first', 'the signatures are paired wrongly'));
  const submit = await client.cosignedRefund(node, record);
  await expect(submit()).rejects.toThrow('paired wrongly');
  await looked();
  const before = [node.at(record.id), node.status(record.id), extrasOf(record.id).map(({ spent }) => spent)];
  port.finalize = finalize;
  await submit();
  await node.until(record.id, 'refunded');
  expect([before, node.status(record.id), extrasOf(record.id).map(({ spent }) => spent)]).toEqual([
    ['stopped', 'serverwontfund', [false, false]],
    'clientrefunded',
    [true, true],
  ]);
});

test('fault 75: a coin that the operator merely calls spent is not called refunded', async () => {
  const { node, world } = scene;
  const record = await twoCoins();
  for (const { outpoint } of await scene.client.coins(record))
    world.operator.faults.callSpent(`${outpoint.txid}:${outpoint.vout}`, 'ab'.repeat(32));
  await looked();
  expect([node.at(record.id), node.status(record.id)]).toEqual(['stopped', 'serverwontfund']);
});
