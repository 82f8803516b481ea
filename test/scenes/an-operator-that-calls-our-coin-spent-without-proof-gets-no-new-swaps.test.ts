import { afterEach, beforeEach, expect, test } from 'vitest';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import { readTx, witnessItems } from '../../engine/legs/psbt.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { lockLightningArkade, payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

function termsOf(id: string): VhtlcTerms {
  return vhtlcTerms(scene.node, id);
}

/** Some transaction of somebody's, which spends other coins than the one it is named for. */
async function unrelated(): Promise<string> {
  const { world, client } = scene;
  const { address } = await client.port.address();
  world.faucet(address, 50_000n);
  const { script } = await client.port.address();
  const prepared = await client.port.prepareFund({
    script,
    amount: 10_000n as never,
    minExpiry: world.now(),
    reserved: [],
  });
  const answer = await client.port.submit(prepared.bytes);
  if (answer.is !== 'accepted') throw new Error(answer.is);
  await client.port.finalize(answer.bytes);
  return prepared.txid;
}

async function distrusted(id: string): Promise<void> {
  const { node, client, world } = scene;
  await eventually(() => node.runtime.guard.paused() !== null, 'new swaps wait');
  const row = node.runtime.workingSet.find(id)?.row;
  expect({ by: node.runtime.guard.paused()?.by, reason: node.runtime.guard.paused()?.reason, flag: row?.flag }).toEqual(
    {
      by: 'guard',
      reason: row?.flag,
      flag: expect.stringMatching(/spent by a transaction that fits none of its leaves: use another operator/),
    },
  );
  await expect(client.createArkadeLightning(node, world.invoice(60_000n).bolt11, 60_000n)).rejects.toThrow(
    /New swaps are paused: open swaps are being checked/,
  );
}

test('over every restart, until the owner says so', async () => {
  const { world, client } = scene;
  const { record, secret, coin } = await lockLightningArkade(scene);
  world.operator.faults.callSpent(outpointKey(coin?.outpoint as Outpoint), await unrelated());
  await distrusted(record.id);
  await scene.restart();
  await distrusted(record.id);
  // The payment stays held: nobody has shown a claim, and we have no refund.
  expect([scene.node.at(record.id), world.paid(sha256Of(secret))]).toEqual(['locked', 'in-flight']);
  scene.node.runtime.guard.resume();
  await client.createArkadeLightning(scene.node, world.invoice(60_000n).bolt11, 60_000n);
});

test('and the coin is claimed all the same once it lies on the chain', async () => {
  const { world } = scene;
  const { record, coin, release } = await payArkadeLightning(scene);
  world.operator.faults.callSpent(outpointKey(coin), await unrelated());
  release('settles');
  await distrusted(record.id);
  expect(scene.node.at(record.id)).toBe('claiming');
  world.operator.faults.unroll(outpointKey(coin));
  await world.mine(1);
  await eventually(
    () => scene.node.store.transactions.of(record.id).some(({ state }) => state === 'prepared'),
    'the claim on the chain is saved',
  );
  await world.advance(termsOf(record.id).claimDelay + 600);
  await eventually(() => world.bitcoin.spend(coin) !== undefined, 'it is claimed on the chain');
  await world.mine(6);
  await scene.node.until(record.id, 'claimed');
  const bytes = world.bitcoin.transaction(world.bitcoin.spend(coin)?.txid ?? '')?.tx.bytes;
  const tx = bytes && readTx(bytes);
  expect(tx && witnessItems(tx, 0).at(-2)).toEqual(vhtlcScript(termsOf(record.id)).leaf['unilateral-claim'].script);
});
