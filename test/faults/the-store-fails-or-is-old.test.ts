import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { createReconciliation } from '../../engine/service/reconciliation/reconciliation.ts';
import { createHighWater } from '../../engine/store/high-water.ts';
import { intentsCounter } from '../../engine/store/intents.ts';
import { restoredFrom } from '../../engine/store/restored.ts';
import { memoryLog } from '../runtime/support.ts';
import { startNodeOn } from '../support/node.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, price, type Scene } from '../support/scene.ts';
import { anyFailure } from '../support/failure.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

test('fault 1: killed between signing the lock and sending it, the same lock is sent once', async () => {
  await scene.end();
  let died = 0;
  scene = await openScene({
    onBoundary(what, moment) {
      if (what !== 'ark.submitTx' || moment !== 'before' || died > 0) return;
      died = 1;
      void scene.node.kill();
    },
  });
  const secret = scene.client.secret();
  const record = await scene.client.createLightningArkade(scene.node, 100_000n, secret);
  scene.world.pay(record.bolt11_invoice);
  await expect.poll(() => died).toBe(1);
  await scene.restart({});
  const [prepared] = scene.node.store.transactions.of(record.id);
  await scene.node.until(record.id, 'locked');
  expect((await scene.client.coins(record)).map(({ outpoint, amount }) => [outpoint.txid, amount])).toEqual([
    [prepared?.txid, 99_750n],
  ]);
});

test.skipIf(!existsSync('/dev/full'))(
  'fault 3: with no room for the marks a create is unavailable, and one that is saved is answered',
  async () => {
    const { client, node } = scene;
    const life = node.folder;
    symlinkSync('/dev/full', join(life, 'high-water.new'));
    await expect(client.createLightningArkade(node, 50_000n, client.secret())).rejects.toThrow(
      /^The database cannot be written now.*free disk space/,
    );
    rmSync(join(life, 'high-water.new'));
    await client.createLightningArkade(node, 50_000n, client.secret());
    rmSync(join(life, 'high-water.last'));
    symlinkSync('/dev/full', join(life, 'high-water.last'));
    const record = await client.createLightningArkade(node, 50_000n, client.secret());
    rmSync(join(life, 'high-water.last'));
    await client.createLightningArkade(node, 50_000n, client.secret());
    expect([
      record.status,
      createHighWater(life).ahead(2) === null,
      createHighWater(life).ahead(node.store.counters.peek('swap')),
    ]).toEqual(['pending', false, null]);
  },
);

test('fault 3: a torn write-ahead log opens as the last whole commit', async () => {
  const first = await scene.client.createLightningArkade(scene.node, 50_000n, scene.client.secret());
  await scene.node.kill();
  const wal = join(scene.node.nextFolder, 'sluice.db-wal');
  const bytes = readFileSync(wal);
  // The end of a commit that a power cut left half on the disk.
  writeFileSync(wal, Buffer.concat([bytes, bytes.subarray(32, 32 + 3_000)]));
  await scene.restart();
  expect([
    scene.node.status(first.id),
    (await scene.client.createLightningArkade(scene.node, 50_000n, scene.client.secret())).status,
  ]).toEqual(['pending', 'pending']);
});

test('fault 5: a swap whose refund may have been signed since the backup is not paid, but refunded', async () => {
  let blind = false;
  await scene.end();
  scene = await openScene({
    onBoundary(what, moment) {
      if (blind && what === 'arkade.coins' && moment === 'before') throw anyFailure('injected', 'safe', 'no answer');
    },
  });
  const { client, world } = scene;
  const [signed, open] = [
    await client.createArkadeLightning(scene.node, world.invoice(100_000n).bolt11, 100_000n),
    await client.createArkadeLightning(scene.node, world.invoice(100_000n).bolt11, 100_000n),
  ];
  scene.backUp();
  const notes = scene.node.store.counters.peek(intentsCounter);
  blind = true;
  world.faucet(signed.arkade_vhtlc_address, price);
  const refund = await client.cosignedRefund(scene.node, signed);
  const mark = createHighWater(scene.node.folder, 'intents');
  expect([
    scene.node.at(signed.id),
    mark.ahead(notes) === null,
    mark.ahead(scene.node.store.counters.peek(intentsCounter)) === null,
  ]).toEqual(['pending', false, true]);
  await scene.restore();
  world.faucet(open.arkade_vhtlc_address, price);
  for (const { id } of [signed, open]) await scene.node.until(id, 'stopped', 'paying', 'claimed');
  expect([scene.node.status(signed.id), scene.node.status(open.id), world.lightning.payments('node')]).toEqual([
    'serverwontfund',
    'serverwontfund',
    [],
  ]);
  await refund();
  await client.collabRefund(scene.node, open);
  expect(await scene.clientTotal()).toBe(2n * price);
});

test('fault 5: an older database is noticed once, however many calls to the Lightning node it lacks', () => {
  const { runtime, store, databaseFile } = scene.node;
  const [folder, db] = [scene.node.folder, new Database(databaseFile, { readonly: true })];
  store.counters.take('swap');
  createHighWater(folder).reach(0);
  createHighWater(folder, 'intents').used(119);
  const start = () =>
    restoredFrom(
      db,
      store.counters.peek('swap'),
      createHighWater(folder),
      createHighWater(folder, 'intents').ahead(store.counters.peek(intentsCounter)),
    );
  const restored = start();
  if (restored === null) throw new Error('it was not noticed');
  createReconciliation({ runtime, everyMs: 3_600_000, log: memoryLog().log }).begin(restored, createHighWater(folder));
  expect([runtime.guard.paused()?.reason.startsWith('The database is older'), start()]).toEqual([true, null]);
  db.close();
});

test('fault 20: a hash whose secret became known in a swap of ours opens no other one', async () => {
  const { client, node } = scene;
  const { record, secret } = await lockLightningArkade(scene, 50_000n);
  await client.claim(record, secret);
  await node.until(record.id, 'claimed');
  await expect(client.createLightningArkade(node, 50_000n, secret)).rejects.toThrow(
    'a swap with this preimage hash exists already',
  );
  await scene.restart();
  await expect(client.createLightningArkade(scene.node, 50_000n, secret)).rejects.toThrow(
    'a swap with this preimage hash exists already',
  );
  expect(
    isRefusal(
      await scene.node.service.create(
        'arkade-lightning',
        {
          userId: '',
          extraFeesBps: 0,
          referralCode: null,
          refundKey: { key: new Uint8Array(33).fill(2) as never, text: '' },
          payee: { is: 'invoice', bolt11: record.bolt11_invoice, amount: 50_000n as never },
        },
        null,
      ),
    ),
  ).toBe(true);
});

test('fault 5: a wall that leaps after a restore ends no watch over the locks that it forgot', async () => {
  const { client, folder, world, node } = scene;
  const { record, secret } = await lockLightningArkade(scene);
  await node.kill();
  let wrong = -400 * 86_400;
  const restored = await startNodeOn(world, join(folder, 'restored'), { skew: () => wrong });
  const { runtime } = restored;
  const reconciliation = createReconciliation({ runtime, everyMs: 3_600_000, log: runtime.log });
  reconciliation.begin({ firstIndex: 10_000, firstIntent: null, copiedAt: null }, createHighWater(folder));
  for (const leap of [0, 400 * 86_400, 0]) {
    wrong = leap;
    await runtime.wake();
    await reconciliation.check();
  }
  await client.claim(record, secret);
  await reconciliation.check();
  await expect.poll(() => world.paid(fromHex(record.hash_lock.slice(2)))).toBe('settled');
  await restored.stop();
});

test.each(['exit delay', 'signer'])(
  'fault 5: a lock that a restored database forgot is settled though the operator has another %s',
  async (what) => {
    const { client, world } = scene;
    await scene.node.ports.arkade?.walletCoins();
    scene.backUp();
    const { record, secret } = await lockLightningArkade(scene);
    await client.claim(record, secret);
    await scene.node.kill();
    if (what === 'signer') world.operator.rotateSigner(86_400);
    else world.operator.configure({ exitDelay: 512, publicExitDelay: 512 });
    await scene.restore();
    const { runtime } = scene.node;
    await createReconciliation({ runtime, everyMs: 3_600_000, log: runtime.log }).check();
    expect([
      (await scene.node.ports.arkade?.address())?.script.length,
      scene.node.logged.filter((line) => line.includes(`claimed by a client and its payment settled`)).length,
      world.paid(fromHex(record.hash_lock.slice(2))),
    ]).toEqual([34, 1, 'settled']);
  },
);

test.each([
  ['is cut off', `terms = '{'`],
  ['lacks a part of its terms', `terms = json_remove(terms, '$.script')`],
  ['has a part of its progress under another name', `progress = json_set(progress, '$.invoice', 1)`],
  ['was saved by a newer build', `progress_version = 2`],
])('fault 3: a swap that %s keeps no other one from its claim', async (_, damage) => {
  const { client } = scene;
  const unreadable = await client.createLightningArkade(scene.node, 50_000n, client.secret());
  const { record: whole, secret } = await lockLightningArkade(scene);
  await scene.node.kill();
  const db = new Database(join(scene.node.nextFolder, 'sluice.db'));
  db.prepare(`UPDATE swaps SET ${damage} WHERE id = ?`).run(unreadable.id);
  db.close();
  await scene.restart();
  await client.claim(whole, secret);
  await scene.node.until(whole.id, 'claimed');
  expect(
    scene.node.logged.filter((line) => line.includes('cannot be read') && line.includes(unreadable.id)),
  ).toHaveLength(1);
});

test('fault 3: what is owed and cannot be read keeps no other swap from its claim', async () => {
  const { client } = scene;
  const [damaged, newer] = [
    await client.createLightningArkade(scene.node, 50_000n, client.secret()),
    await client.createLightningArkade(scene.node, 50_000n, client.secret()),
  ];
  const { record: whole, secret } = await lockLightningArkade(scene);
  await scene.node.kill();
  const db = new Database(join(scene.node.nextFolder, 'sluice.db'));
  const owe = db.prepare(
    `INSERT INTO effects (subject, leg, body, version, due, parked) VALUES (?, 'lightning', ?, 1, 0, ?)`,
  );
  for (const [{ id }, body] of [
    [damaged, '{'],
    [damaged, 'null'],
    [newer, '{"do":"teleport"}'],
  ] as const)
    owe.run(id, body, null);
  owe.run(damaged.id, '{', 'given up');
  db.close();
  await scene.restart();
  await client.claim(whole, secret);
  await scene.node.until(whole.id, 'claimed');
  const { store } = scene.node;
  expect([damaged, newer].map(({ id }) => store.swaps.byId(id)?.flag)).toEqual(
    Array(2).fill(expect.stringMatching(/cannot be read/)),
  );
  expect(() => scene.node.service.owner.retry(damaged.id)).not.toThrow();
  const left = new Database(scene.node.databaseFile, { readonly: true });
  expect(left.prepare(`SELECT body FROM effects ORDER BY id`).pluck().all()).toEqual([
    '{',
    'null',
    '{"do":"teleport"}',
    '{',
  ]);
  left.close();
});

test('fault 3: a swap that cannot be read is listed as one, beside the others', async () => {
  const { client } = scene;
  const [damaged, empty, newer, whole] = [
    await client.createLightningArkade(scene.node, 50_000n, client.secret()),
    await client.createLightningArkade(scene.node, 50_000n, client.secret()),
    await client.createLightningArkade(scene.node, 50_000n, client.secret()),
    await client.createLightningArkade(scene.node, 50_000n, client.secret()),
  ];
  await scene.node.kill();
  const db = new Database(join(scene.node.nextFolder, 'sluice.db'));
  db.prepare(`UPDATE swaps SET terms = '{' WHERE id = ?`).run(damaged.id);
  db.prepare(`UPDATE swaps SET terms = 'null' WHERE id = ?`).run(empty.id);
  db.prepare(`UPDATE swaps SET machine = 'evm-moon' WHERE id = ?`).run(newer.id);
  db.close();
  await scene.restart({ restored: true });
  const { owner } = scene.node.service;
  for (const open of [null, true]) {
    const listed = await owner.swaps({ direction: null, status: null, open, text: null, cursor: null, limit: 10 });
    if (isRefusal(listed)) throw new Error(listed.sentence);
    const unread = { flagged: true, at: 'pending', next_action: expect.stringMatching(/cannot be read/) as string };
    const lines = new Map(listed.swaps.map((line) => [line.id, line]));
    expect([lines.get(damaged.id), lines.get(empty.id), lines.get(newer.id), lines.get(whole.id)]).toMatchObject([
      { ...unread, direction: 'lightning_to_arkade' },
      { ...unread, direction: 'lightning_to_arkade' },
      { ...unread, direction: null },
      { flagged: false, direction: 'lightning_to_arkade' },
    ]);
  }
  expect(owner.swap(damaged.id)).toMatchObject({ refusal: 'unavailable' });
});

test('fault 5: under the seed of another database the node does not start', async () => {
  await scene.client.createArkadeLightning(scene.node, scene.world.invoice(100_000n).bolt11, 100_000n);
  await expect(scene.restart({ seed: 7 })).rejects.toThrow(/belongs to another seed/);
});
