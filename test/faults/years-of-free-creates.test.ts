import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { asHash160 } from '../../engine/domain/hash.ts';
import { day } from '../../engine/domain/time.ts';
import { createTrimming } from '../../engine/service/wallet/trimming.ts';
import { memoryLog } from '../runtime/support.ts';
import { machines } from '../support/node.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

function trimmingOf({ node }: Scene) {
  return createTrimming({ runtime: node.runtime, everyMs: 3_600_000, log: memoryLog().log });
}

async function unfunded(): Promise<ArkadeLightningRecord> {
  const { bolt11 } = scene.world.invoice(100_000n, { expirySeconds: 7_200 });
  return scene.client.createArkadeLightning(scene.node, bolt11, 100_000n);
}

function rowOf(id: string): { terms: number; trimmed: number; journal: number } {
  const db = new Database(scene.node.databaseFile, { readonly: true });
  try {
    return db
      .prepare<[string], { terms: number; trimmed: number; journal: number }>(
        'SELECT length(terms) AS terms, trimmed, (SELECT count(*) FROM journal WHERE subject = swaps.id) AS ' +
          'journal FROM swaps WHERE id = ?',
      )
      .get(id)!;
  } finally {
    db.close();
  }
}

async function waitOut(record: ArkadeLightningRecord): Promise<void> {
  await scene.world.advance(record.vhtlc_refund_locktime - scene.world.now() + 60);
  await eventually(() => scene.node.at(record.id) === 'lapsed', 'nobody funded it');
}

test('fault 53: a swap that was never funded is trimmed seven days after its locktime', async () => {
  const record = await unfunded();
  const before = scene.node.service.swap(record.id);
  await waitOut(record);
  const trimming = trimmingOf(scene);
  await trimming.check();
  const { trimmed: early, terms: whole } = rowOf(record.id);
  await scene.world.advance(7 * day);
  await trimmingOf(scene).check();
  const { terms, ...rest } = rowOf(record.id);
  expect({ early, rest, short: terms * 3 < whole * 2 }).toEqual({
    early: 0,
    rest: { trimmed: 1, journal: 0 },
    short: true,
  });
  expect(scene.node.service.swap(record.id)).toEqual({
    direction: 'arkade-lightning',
    record: { ...before?.record, status: 'expired' },
  });
  expect(scene.node.service.statuses([record.id])).toEqual({
    statuses: [{ id: record.id, status: 'expired' }],
    not_found: [],
  });
  await expect(
    scene.client.createArkadeLightning(scene.node, record.client_lightning_invoice, 100_000n),
  ).rejects.toThrow();
  await scene.restart();
  expect([scene.node.at(record.id), scene.node.runtime.workingSet.size]).toEqual(['lapsed', 0]);
});

test('fault 217: what a client wanted to be told of a swap that it never paid goes with its story', async () => {
  const record = await unfunded();
  const { boltzSwaps } = scene.node.store;
  const webhook = { url: `https://wallet.example/${'a'.repeat(900)}`, hashed: false, statuses: null };
  boltzSwaps.insert('abcdefghijkl', record.id, [], webhook);
  await waitOut(record);
  await trimmingOf(scene).check();
  const early = boltzSwaps.webhookOf(record.id)?.webhook;
  await scene.world.advance(7 * day);
  await trimmingOf(scene).check();
  expect([early, boltzSwaps.webhookOf(record.id), boltzSwaps.swapOf('abcdefghijkl')]).toEqual([
    webhook,
    null,
    record.id,
  ]);
});

test('fault 53: money that comes to a trimmed swap goes back with our signature', async () => {
  const [refunded, listed] = [await unfunded(), await unfunded()];
  await waitOut(refunded);
  await waitOut(listed);
  await scene.world.advance(7 * day);
  const trimming = trimmingOf(scene);
  await trimming.check();
  expect([rowOf(refunded.id).trimmed, rowOf(listed.id).trimmed]).toEqual([1, 1]);
  scene.world.faucet(refunded.arkade_vhtlc_address, price);
  scene.world.faucet(listed.arkade_vhtlc_address, price);
  await scene.client.collabRefund(scene.node, refunded);
  await scene.world.advance(day + 60);
  await trimming.check();
  await eventually(() => scene.node.status(listed.id) === 'clientfundedtoolate', 'the late coin is seen');
  await scene.client.collabRefund(scene.node, listed);
  const left = await Promise.all(
    [refunded, listed].map(async (record) => (await scene.client.coins(record)).filter(({ spent }) => !spent).length),
  );
  expect(left).toEqual([0, 0]);
});

test('fault 109: a wall that was set back by days keeps late money unseen no longer', async () => {
  await scene.end();
  let skew = 0;
  scene = await openScene({ skew: () => skew });
  const record = await unfunded();
  await waitOut(record);
  await scene.world.advance(7 * day);
  const trimming = trimmingOf(scene);
  await trimming.check();
  scene.world.faucet(record.arkade_vhtlc_address, price);
  await trimming.check();
  const early = scene.node.status(record.id);
  skew = -3 * day;
  await trimming.check();
  expect([rowOf(record.id).trimmed, early]).toEqual([1, 'expired']);
  await eventually(() => scene.node.status(record.id) === 'clientfundedtoolate', 'the late coin is seen');
});

test('fault 53: a swap whose script was paid after its watch ended is not trimmed', async () => {
  const record = await unfunded();
  await waitOut(record);
  await scene.world.advance(6 * day);
  scene.world.faucet(record.arkade_vhtlc_address, price);
  await scene.world.advance(day);
  await trimmingOf(scene).check();
  expect([rowOf(record.id).trimmed, scene.node.status(record.id)]).toEqual([0, 'clientfundedtoolate']);
  await scene.client.collabRefund(scene.node, record);
});

test('fault 53: a create that was abandoned leaves no note of its invoice once it is trimmed', async () => {
  const record = await scene.client.createLightningArkade(scene.node, 50_000n, scene.client.secret());
  const { store } = scene.node;
  const id = '00000000-0000-4000-8000-000000000000';
  const hash = asHash160(new Uint8Array(20).fill(9));
  const progress = { at: 'unopened', reason: '' };
  store.swaps.insert({
    ...store.swaps.byId(record.id)!,
    id,
    status: 'expired',
    open: false,
    progress,
  });
  store.intents.note('invoice', id, hash);
  await scene.world.advance(record.vhtlc_refund_locktime - scene.world.now() + 6 * day);
  await trimmingOf(scene).check();
  const early = store.intents.known('invoice', hash);
  await scene.world.advance(day + 60);
  await trimmingOf(scene).check();
  expect({ early, late: store.intents.known('invoice', hash), trimmed: rowOf(id).trimmed }).toEqual({
    early: true,
    late: false,
    trimmed: 1,
  });
});

test('fault 53: an invoice that nobody paid leaves as little', async () => {
  const record = await scene.client.createLightningArkade(scene.node, 50_000n, scene.client.secret());
  const { terms: whole } = rowOf(record.id);
  await scene.world.advance(3_600);
  await scene.node.until(record.id, 'lapsed');
  await scene.world.advance(record.vhtlc_refund_locktime - scene.world.now() + 7 * day + 60);
  await trimmingOf(scene).check();
  const { terms, ...rest } = rowOf(record.id);
  expect({ rest, short: terms * 3 < whole * 2 }).toEqual({ rest: { trimmed: 1, journal: 0 }, short: true });
  expect(scene.node.service.swap(record.id)?.record).toEqual({ ...record, status: 'expired' });
});

test('fault 53: only swaps that cost nobody anything end in a state that is trimmed', () => {
  const ends = machines.flatMap(({ name, unfunded }) => (unfunded?.ends ?? []).map((at) => [name, at]));
  expect(ends.map((end) => end.join(' ')).sort()).toEqual([
    'arkade-bitcoin lapsed',
    'arkade-evm lapsed',
    'arkade-lightning lapsed',
    'bitcoin-arkade lapsed',
    'bitcoin-evm lapsed',
    'bitcoin-lightning lapsed',
    'evm-arkade lapsed',
    'evm-bitcoin lapsed',
    'evm-lightning lapsed',
    'lightning-arkade lapsed',
    'lightning-arkade unopened',
    'lightning-bitcoin lapsed',
    'lightning-bitcoin unopened',
    'lightning-evm lapsed',
    'lightning-evm unopened',
  ]);
});

test('fault 53: what is left of a create is two thirds of it at most, and trimming is quick', async () => {
  const count = 400;
  const template = await unfunded();
  await waitOut(template);
  const { store } = scene.node;
  const row = store.swaps.byId(store.swaps.page({ limit: 1 })[0]?.id ?? '');
  const before = sizeOf();
  store.atomically(() => {
    for (let i = 0; i < count; i++) {
      const id = `${String(i).padStart(8, '0')}-0000-4000-8000-${randomBytes(6).toString('hex')}`;
      store.swaps.insert({ ...row!, id, userId: randomBytes(33).toString('hex') });
      for (const line of store.journal.of(template.id)) store.journal.write(id, line);
    }
  });
  const whole = (sizeOf() - before) / count;
  await scene.world.advance(7 * day);
  // Of the networks, which share this process, nothing counts.
  const { node } = scene;
  const quiet = { ...node.runtime, ports: { ...node.ports, arkade: { ...node.ports.arkade!, coins: async () => [] } } };
  const trimming = createTrimming({ runtime: quiet, everyMs: 3_600_000, log: memoryLog().log });
  const perTurn = countedByTurn(store.swaps, 'trim');
  const judged = countedByTurn(node.runtime.workingSet, 'find');
  const begun = process.cpuUsage();
  for (let round = 0; round < 12; round++) await trimming.check();
  const { user, system } = process.cpuUsage(begun);
  const most = [perTurn.stop(), judged.stop()];
  // Ten are judged in a turn and ten are trimmed in one: no turn is long when ten do not cost much. By this process's
  // own processor time and on the whole, so that neither a busy machine nor one turn of the garbage collector has a
  // say.
  const turn = (user + system) / 1_000 / (2 * Math.ceil(count / 10));
  const remainder = (sizeOf() - before) / count;
  console.log(
    `bytes per swap that was never funded: ${whole.toFixed(0)} whole, ${remainder.toFixed(0)} trimmed; ` +
      `${turn.toFixed(1)} ms a turn`,
  );
  expect({
    short: remainder * 3 <= whole * 2,
    most,
    quick: turn < 10,
    all: store.swaps.trimmable({ createdBefore: scene.world.now(), after: { createdAt: 0, id: '' }, limit: 9 }),
  }).toEqual({ short: true, most: [10, 10], quick: true, all: [] });
});

/** Calls of a function within one turn of the event loop, at most. */
function countedByTurn<K extends string>(owner: Record<K, (...args: never[]) => unknown>, name: K): { stop(): number } {
  const real = owner[name];
  let [now, most, over] = [0, 0, false];
  owner[name] = (...args) => {
    most = Math.max(most, ++now);
    return real(...args);
  };
  void (async () => {
    while (!over) {
      await nextTurn();
      now = 0;
    }
  })();
  return {
    stop() {
      owner[name] = real;
      over = true;
      return most;
    },
  };
}

/** Bytes of the database without what is free in it. */
function sizeOf(): number {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-size-'));
  const db = new Database(scene.node.databaseFile, { readonly: true });
  try {
    db.exec(`VACUUM INTO '${join(folder, 'copy.db')}'`);
    return statSync(join(folder, 'copy.db')).size;
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('fault 53: a refund that is asked for again and again is agreed to each time, and leaves one line', async () => {
  const record = await unfunded();
  scene.world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount) - 1n);
  await eventually(() => scene.node.at(record.id) === 'stopped', 'one satoshi is missing');
  const [coin] = await scene.client.coins(record);
  const { journal } = rowOf(record.id);
  const ask = () =>
    scene.node.runtime.commits.deliver(record.id, { is: 'refund.cosign.requested', coins: [coin!.outpoint] });
  expect(Array.from({ length: 50 }, ask)).toEqual(Array.from({ length: 50 }, () => 'moved'));
  expect(rowOf(record.id).journal - journal).toBe(1);
  await scene.world.advance(40 * 60);
  expect([ask(), ask(), rowOf(record.id).journal - journal]).toEqual(['moved', 'moved', 2]);
});
