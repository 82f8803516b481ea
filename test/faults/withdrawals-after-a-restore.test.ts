import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tokenAmount } from '../../engine/domain/money.ts';
import {
  accepted,
  bookedFor,
  costOf,
  deposit,
  inMempool,
  paidOut,
  payee,
  withdraw,
} from '../support/bitcoin-wallet.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
/** Set, the next commit is the last one that the backup holds. */
let atNextCommit: (() => void) | null;

const options = { bitcoinWallet: true, pollMs: 25 } as const;

beforeEach(async () => {
  atNextCommit = null;
  scene = await openScene({
    ...options,
    onBoundary(what, moment) {
      if (what !== 'commit' || moment !== 'after') return;
      atNextCommit?.();
      atNextCommit = null;
    },
  });
});
afterEach(() => scene.end());

test('fault 5: a withdrawal whose fee was raised after the backup is found, and not paid again', async () => {
  await deposit(scene, 300_000, 300_000);
  const { id } = await withdraw(scene, 100_000);
  await scene.node.until(id, 'sending');
  scene.backUp();
  const before = inMempool(scene);
  accepted(await scene.node.service.owner.bump(id));
  await vi.waitFor(() => expect(inMempool(scene)).not.toEqual(before), {
    timeout: 60_000,
    interval: 20,
  });
  await scene.world.mine(6);
  await scene.node.until(id, 'sent');
  await scene.restore({ ...options, restored: true });
  await scene.node.until(id, 'sent', 'failed');
  await scene.world.mine(7);
  await scene.world.mine(7);
  expect([await paidOut(scene), bookedFor(scene.node, id)]).toEqual([[100_000n], costOf(scene.world, scene.node, id)]);
});

async function heldBack(network: 'bitcoin' | 'arkade', to: string): Promise<void> {
  atNextCommit = () => scene.backUp();
  const { id } = accepted(
    await scene.node.service.owner.withdraw(network, { address: to, amount: tokenAmount(100_000), asset: null }),
  );
  if (network === 'bitcoin') {
    await vi.waitFor(() => expect(inMempool(scene)).toHaveLength(1), { timeout: 60_000, interval: 20 });
    await scene.world.mine(6);
  }
  await scene.node.until(id, 'sent');
  await scene.restore({ ...options, restored: true });
  await scene.node.until(id, 'failed', 'sent');
  await scene.world.mine(7);
  await vi.waitFor(() => expect(scene.node.store.effects.of(id)).toEqual([]), { timeout: 20_000, interval: 20 });
  const { at, reason } = scene.node.runtime.workingSet.find(id)?.row.progress as { at: string; reason?: string };
  expect([at, reason, scene.node.store.effects.of(id)]).toEqual([
    'failed',
    expect.stringContaining('restored from a backup'),
    [],
  ]);
}

test('fault 5: a withdrawal on Bitcoin that the backup has not sent yet waits for the owner', async () => {
  await deposit(scene, 300_000, 300_000);
  await heldBack('bitcoin', payee);
  expect(await paidOut(scene)).toEqual([100_000n]);
});

test('fault 5: a withdrawal on Arkade that the backup has not sent yet waits for the owner', async () => {
  const { client } = scene;
  const { address, script } = await client.port.address();
  await heldBack('arkade', address);
  expect((await client.port.coins([script])).map(({ amount }) => amount)).toEqual([100_000n]);
});
