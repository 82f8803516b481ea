import { afterEach, beforeEach, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true });
});
afterEach(() => scene.end());

function jobs(): { id: string; at: string }[] {
  const begun = scene.node.logged
    .map((line) => JSON.parse(line) as { job?: string; text: string })
    .filter(({ text }) => text === 'own coins on the chain are taken home');
  return begun.map(({ job: id = '' }) => ({
    id,
    at: (scene.node.store.swaps.byId(id)?.progress as { at: string }).at,
  }));
}

test('fault 56: a coin with another owner or amount than the operator said keeps none of ours on chain', async () => {
  const { world, node } = scene;
  const { coin: lock } = await lockLightningArkade(scene);
  const changes = (await node.ports.arkade!.walletCoins()).filter(
    ({ outpoint }) => outpoint.txid === lock.outpoint.txid,
  );
  const pending = changes.reduce((sum, { amount }) => sum + amount, 0n);
  world.operator.faults.unroll(outpointKey(lock.outpoint));
  await world.mine(1);
  await eventually(
    () =>
      changes.every(({ outpoint }) =>
        node.store.ownCoins.all().some((row) => outpointKey(row.outpoint) === outpointKey(outpoint) && row.unrolled),
      ),
    'the change is known to lie on the chain',
  );
  // As if the operator had listed them so: the lock itself for a coin of the wallet, and one of ours for ten times its
  // amount.
  const [first] = changes;
  if (first === undefined) throw new Error('there is no change');
  const { signer, exitDelay } = first.under;
  node.store.ownCoins.keep({ outpoint: lock.outpoint, amount: sats(9_000_000n), signer, exitDelay }, world.now());
  node.store.ownCoins.unrolled(lock.outpoint);
  node.store.ownCoins.forget(first.outpoint);
  node.store.ownCoins.keep(
    { outpoint: first.outpoint, amount: sats(first.amount * 10n), signer, exitDelay },
    world.now(),
  );
  node.store.ownCoins.unrolled(first.outpoint);
  await eventually(
    () =>
      changes.every(({ outpoint }) =>
        node.store.ownCoins
          .all()
          .some((row) => outpointKey(row.outpoint) === outpointKey(outpoint) && row.mined !== null),
      ),
    'they are seen in a block',
  );
  await world.advance(exitDelay + 600);
  await eventually(() => jobs().length > 0, 'the node takes its coins home');
  await eventually(
    () => changes.every(({ outpoint }) => world.bitcoin.spend(outpoint) !== undefined),
    'all of ours are on their way',
  );
  await world.mine(7);
  await eventually(
    async () => (await node.runtime.ports.bitcoinWallet!.balance([])).available > pending - 5_000n,
    'they are home',
  );
  await node.until(jobs()[0]?.id ?? '', 'sent');
  expect(jobs()).toHaveLength(1);
});
