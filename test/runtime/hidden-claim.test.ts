import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sameBytes } from '../../engine/domain/hash.ts';
import { newTx, readTx, tapTreeFields } from '../../engine/legs/psbt.ts';
import { createVhtlcWatch } from '../../engine/runtime/networks/arkade/watch.ts';
import type { KeyRef } from '../../engine/legs/signer.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { LightningArkadeTerms } from '../../engine/swap/directions/lightning-arkade.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;

beforeEach(async () => {
  scene = await openScene();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await scene.end();
});

/** The same transaction without the field that names the script it spends. */
function withoutTapTree(bytes: Uint8Array): Uint8Array {
  const tx = readTx(bytes);
  if (tx === null) throw new Error('no transaction');
  const bare = newTx({ version: tx.version, lockTime: tx.lockTime });
  for (let i = 0; i < tx.inputsLength; i++) {
    const trees = tapTreeFields(tx, i);
    const { unknown = [], tapScriptSig: _, ...input } = tx.getInput(i);
    bare.addInput(input);
    bare.updateInput(i, { unknown: unknown.filter(([, value]) => !trees.some((tree) => sameBytes(tree, value))) });
  }
  for (let i = 0; i < tx.outputsLength; i++) bare.addOutput(tx.getOutput(i));
  return bare.toPSBT();
}

/**
 * Looks at the swap's script with an operator that shows its transactions as told; resolves with the first news of a
 * spend.
 */
async function seenWith(id: string, key: KeyRef | null, virtualTxs: ArkadePort['virtualTxs']): Promise<unknown> {
  const { vhtlc, script } = scene.node.runtime.workingSet.find(id)?.row.terms as LightningArkadeTerms;
  const events: Event[] = [];
  const watch = createVhtlcWatch({
    arkade: { ...(scene.node.ports.arkade as ArkadePort), virtualTxs },
    bitcoin: null,
    store: scene.node.store,
    wall: scene.world.now,
    deliver: (_, event) => void events.push(event),
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 50,
  });
  watch.start();
  watch.add(id, vhtlc, script);
  if (key !== null) watch.prove({ script, key, always: false, coins: [] });
  await expect.poll(() => events.length).toBeGreaterThan(2);
  await watch.stop();
  const event = events.at(-1);
  return event?.is === 'vhtlc.seen' && event.coins.map(({ spend }) => spend);
}

test('a claim that the operator shows to nobody is read from what it still owes to who owns a leaf', async () => {
  const { record, secret } = await lockLightningArkade(scene);
  const { vhtlc, keyIndex } = scene.node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  const prepared = await scene.client.port.prepareClaim({
    terms: vhtlc,
    key: { branch: 'taker', index: 0 },
    coins: await scene.client.coins(record),
    preimage: secret,
  });
  await scene.client.port.submit(prepared.bytes);
  const hidden = async () => new Map<string, Uint8Array>();
  expect([
    await seenWith(record.id, null, hidden),
    await seenWith(record.id, { branch: 'swap', index: keyIndex }, hidden),
  ]).toEqual([[null], [{ leaf: 'claim', preimage: secret }]]);
});

test('a coin that is called spent by a transaction that nobody shows is an alarm, two minutes later', async () => {
  const { coin } = await lockLightningArkade(scene);
  scene.world.operator.faults.callSpent(outpointKey(coin?.outpoint ?? { txid: '', vout: 0 }), 'ab'.repeat(32));
  await looks();
  const early = scene.node.runtime.guard.paused();
  for (let i = 0; i < 5; i++) await later(25);
  await expect.poll(() => scene.node.runtime.guard.paused()?.reason).toContain('fits none of its leaves');
  expect(early).toBeNull();
});

test.each([
  ['the wall that leaps by a day', () => scene.world.advance(86_400)],
  ['a night in which the machine slept', async () => (await scene.world.pass(36_000), later(36_000))],
])('fault 45: %s while nobody shows by what a coin was spent is no alarm', async (_, befalls) => {
  const { record, coin } = await lockLightningArkade(scene);
  scene.world.operator.faults.callSpent(outpointKey(coin?.outpoint ?? { txid: '', vout: 0 }), 'ab'.repeat(32));
  await looks();
  await befalls();
  await looks();
  expect([scene.node.runtime.guard.paused(), scene.node.runtime.workingSet.find(record.id)?.row.flag]).toEqual([
    null,
    null,
  ]);
});

/** The watch has looked a few times. */
function looks(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 500));
}

const real = performance.now.bind(performance);

/** The clock of this process goes on by so many seconds, and the watch looks. */
async function later(seconds: number): Promise<void> {
  const ahead = performance.now() - real() + seconds * 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead);
  await looks();
}

test('a claim that hides its leaf is known by its secret', async () => {
  const { record, secret } = await lockLightningArkade(scene);
  const { vhtlc, script } = scene.node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  await scene.client.claim(record, secret);
  const events: Event[] = [];
  let trees = 0;
  const watch = createVhtlcWatch({
    arkade: {
      ...scene.client.port,
      async virtualTxs(txids) {
        const shown = await scene.client.port.virtualTxs(txids);
        const stripped = new Map([...shown].map(([txid, bytes]) => [txid, withoutTapTree(bytes)]));
        for (const bytes of stripped.values()) trees += tapTreeFields(readTx(bytes)!, 0).length;
        return stripped;
      },
    },
    bitcoin: null,
    store: scene.node.store,
    wall: scene.world.now,
    deliver: (_, event) => void events.push(event),
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 3_600_000,
  });
  watch.start();
  watch.add(record.id, vhtlc, script);
  await expect.poll(() => events.length).toBeGreaterThan(0);
  await watch.stop();
  const event = events.at(-1);
  expect([trees, event?.is === 'vhtlc.seen' && event.coins.map(({ spend }) => spend)]).toEqual([
    0,
    [{ leaf: 'claim', preimage: secret, unsigned: true }],
  ]);
});
