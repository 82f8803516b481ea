import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { readTx } from '../../engine/legs/psbt.ts';
import { anyFailure } from '../support/failure.ts';
import { lockLightningArkade, payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 60_000 });

let scene: Scene;
/** The operator is away from the answer to the next finalize on, which is lost. */
let leaves: boolean;
let beforeFinalize: () => void;
beforeEach(async () => {
  leaves = false;
  beforeFinalize = () => undefined;
  scene = await openScene({
    onBoundary(what, moment) {
      if (what === 'ark.finalizeTx' && moment === 'before') beforeFinalize();
      if (!leaves || what !== 'ark.finalizeTx' || moment !== 'after') return;
      scene.world.operator.faults.away();
      throw anyFailure('away', 'ask-first', 'no answer');
    },
  });
});
afterEach(() => scene.end());

function ownOutput(id: string, purpose: string): Outpoint | undefined {
  const { store } = scene.node;
  const txid = store.transactions.of(id, 'arkade').find((row) => row.purpose === purpose)?.txid;
  return store.ownCoins.all().find(({ outpoint }) => outpoint.txid === txid)?.outpoint;
}

/** Whether the way to it is saved, and goes on from the coin that was spent. */
function goesOn(coin: Outpoint, spent: Outpoint): boolean {
  const way = scene.node.store.exits.path(coin)?.transactions.map((bytes) => readTx(bytes)?.id) ?? [];
  return way.includes(spent.txid) && way.at(-1) === coin.txid;
}

test('fault 354, arkade: what a claim pays us has its way before the operator has our signatures', async () => {
  const { world, node } = scene;
  const { record, coin, release } = await payArkadeLightning(scene);
  await world.mine(1);
  await eventually(() => node.exits.look().then(() => node.store.exits.has(coin)), 'its way is saved');
  leaves = true;
  release('settles');
  await eventually(() => world.operator.faults.isAway, 'the operator leaves with our signatures');
  const claim = ownOutput(record.id, 'claim');
  expect(claim !== undefined && goesOn(claim, coin)).toBe(true);
});

test('fault 354, arkade: the change of a lock has no way while the lock is not finished', async () => {
  const { world, node } = scene;
  await world.mine(1);
  const ways = () => node.store.ownCoins.all().every(({ outpoint }) => node.store.exits.has(outpoint));
  await eventually(() => node.exits.look().then(ways), 'the ways of the wallet are saved');
  const hasWays: boolean[] = [];
  beforeFinalize = () => {
    for (const { row } of node.runtime.workingSet.all()) {
      const change = ownOutput(row.id, 'lock');
      if (change !== undefined) hasWays.push(node.store.exits.path(change) !== null);
    }
  };
  await lockLightningArkade(scene);
  expect(hasWays).toEqual([false]);
});
