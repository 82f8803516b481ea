import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { hash160OfSha256 } from '../../../engine/legs/secret.ts';
import { unknownActs } from '../../../engine/service/reconciliation/unknown-acts.ts';
import { lockLightningArkade } from '../../support/openings.ts';
import { deposit, inMempool, withdraw } from '../../support/bitcoin-wallet.ts';
import { eventually, openScene, price, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

async function shown(): Promise<readonly string[]> {
  return (await unknownActs(scene.node.runtime)).map((act) => act.shown);
}

test('fault 72: a lock that the database forgot is seen by the coins of the wallet that it took', async () => {
  scene.backUp();
  const { coin } = await lockLightningArkade(scene);
  const level = await shown();
  await scene.restore({});
  scene.booksDiffer('the database forgot a lock, and nobody noticed that it is older');
  const forgotten = await unknownActs(scene.node.runtime);
  const sentence = new RegExp(`^\\d+ sats left the Arkade wallet in transaction ${coin.outpoint.txid}$`);
  expect([level, forgotten.map((act) => act.shown)]).toEqual([[], [expect.stringMatching(sentence)]]);
  for (const act of forgotten) act.told?.();
  expect(await shown()).toEqual([]);
});

test('fault 72: a payment that the database forgot is seen before anything judges its swap again', async () => {
  const { client, world, node } = scene;
  const { bolt11 } = world.invoice(100_000n, { hold: true });
  const record = await client.createArkadeLightning(node, bolt11, 100_000n);
  const level = await shown();
  scene.backUp();
  world.faucet(record.arkade_vhtlc_address, price);
  await node.until(record.id, 'paying');
  const paying = await shown();
  let rolledBack: readonly string[] = [];
  await scene.restore({
    async beforeStart(runtime) {
      rolledBack = (await unknownActs(runtime)).map((act) => act.shown);
    },
  });
  expect([level, paying, rolledBack]).toEqual([[], [], [`the Lightning node has a payment for swap ${record.id}`]]);
});

test('fault 213, lightning: a swap that begins while its invoice is looked up is no sign of a rollback', async () => {
  const { client, node } = scene;
  const record = await client.createLightningArkade(node, 50_000n, client.secret());
  const hash = hash160OfSha256(asSha256(fromHex(record.hash_lock.replace('0x', ''))));
  const { intents } = node.store;
  intents.disown('invoice', hash);
  expect(await shown()).toEqual([`the Lightning node has an invoice for swap ${record.id}`]);
  const port = node.ports.lightning!;
  const honest = port.hold.bind(port);
  const slow = vi.spyOn(port, 'hold').mockImplementation(async (of) => {
    const state = await honest(of);
    intents.note('invoice', record.id, hash);
    return state;
  });
  expect([await shown(), slow.mock.calls.length]).toEqual([[], 1]);
  slow.mockRestore();
});

test('fault 221, lightning: a swap that ends while the Lightning node is slow is no sign of a rollback', async () => {
  const { client, node } = scene;
  const record = await client.createLightningArkade(node, 50_000n, client.secret());
  expect(await shown()).toEqual([]);
  const port = node.ports.lightning!;
  const honest = port.payment.bind(port);
  const slow = vi.spyOn(port, 'payment').mockImplementation(async (of) => {
    const state = await honest(of);
    await scene.world.pass(4_000);
    await node.until(record.id, 'lapsed');
    return state;
  });
  expect([await shown(), slow.mock.calls.length]).toEqual([[], 1]);
  slow.mockRestore();
});

async function sent(amount: number): Promise<void> {
  const { id } = await withdraw(scene, amount);
  await eventually(() => inMempool(scene).length === 1, 'it waits for a block');
  await scene.world.mine(7);
  await scene.node.until(id, 'sent');
}

describe('the Bitcoin wallet', () => {
  const options = { bitcoinWallet: true } as const;
  beforeEach(async () => {
    await scene.end();
    scene = await openScene(options);
    await deposit(scene, 100_000, 200_000);
    await shown();
  });

  test('fault 72: a payment with change that the database forgot is seen, by both, and once', async () => {
    scene.backUp();
    await sent(40_000);
    const level = await shown();
    await scene.restore(options);
    const forgotten = await unknownActs(scene.node.runtime);
    expect([level, forgotten.map((act) => act.shown).toSorted()]).toEqual([
      [],
      [
        expect.stringMatching(/^100000 sats left the Bitcoin wallet in transaction [0-9a-f]{64}$/),
        expect.stringMatching(
          /^59\d{3} sats came to an address of the Bitcoin wallet that was not given out here, in /,
        ),
      ],
    ]);
    for (const act of forgotten) act.told?.();
    expect(await shown()).toEqual([]);
  });

  test('fault 72: a payment of everything, whose change is nothing, is seen by the coins that it took', async () => {
    scene.backUp();
    await sent(299_700);
    await scene.restore(options);
    expect(await shown()).toHaveLength(2);
  });

  test('what strangers pay to addresses that were given out, and what was spent here, shows nothing', async () => {
    await sent(40_000);
    await shown();
    await deposit(scene, 5_000);
    await scene.restart(options);
    await scene.restart(options);
    expect([await shown(), scene.node.store.chainCoins.unexplained()]).toEqual([[], { spent: [], forgotten: [] }]);
  });
});
