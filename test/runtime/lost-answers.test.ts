import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Retry } from '../../engine/domain/errors.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { anyFailure } from '../support/failure.ts';

let scene: Scene;

beforeEach(async () => {});

afterEach(() => scene.end());

/** A node whose calls of one method end as told, one after the other; later calls go through. */
async function startFailing(method: string, moment: 'before' | 'after', ...failures: Retry[]): Promise<void> {
  scene = await openScene({
    onBoundary(what, at) {
      if (what !== method || at !== moment) return;
      const retry = failures.shift();
      if (retry !== undefined) throw anyFailure('injected', retry, `${method} failed (${retry})`);
    },
  });
}

async function funded(): Promise<string> {
  const record = await scene.client.createArkadeLightning(scene.node, scene.world.invoice(100_000n).bolt11, 100_000n);
  scene.world.faucet(record.arkade_vhtlc_address, 100_260n);
  return record.id;
}

test('fault 22: a payment whose first try went unanswered is not refused because a later try was', async () => {
  await startFailing('lightning.pay', 'before', 'ask-first', 'never');
  const id = await funded();
  // The first try may still hang in the node: nobody gets a refund signed while it can settle.
  expect(await scene.node.until(id, 'paying', 'stopped')).toBe('paying');
});

test('a payment that the node refuses at its first try has failed', async () => {
  await startFailing('lightning.pay', 'before', 'never');
  expect(await scene.node.until(await funded(), 'paying', 'stopped')).toBe('stopped');
});

test('a claim that one wrong answer ended is made after the next start', async () => {
  await startFailing('arkade.prepareClaim', 'before', 'never');
  const id = await funded();
  await scene.node.until(id, 'claiming');
  await expect
    .poll(() => scene.node.store.effects.of(id).map((row) => row.parked))
    .toEqual(['arkade.prepareClaim failed (never)']);
  await scene.restart({});
  await scene.node.until(id, 'claimed');
});

test('an invoice never made for a request that a restart ended promises nothing after its time', async () => {
  let away = true;
  const onBoundary = (what: string): void => {
    if (away && what === 'lightning.createHold')
      throw anyFailure('away', 'ask-first', 'the Lightning node gets no word');
  };
  scene = await openScene({ onBoundary });
  void scene.client.createLightningArkade(scene.node, 100_000n, scene.client.secret()).catch(() => undefined);
  await expect.poll(() => scene.node.runtime.workingSet.size).toBe(1);
  await scene.restart({ onBoundary });
  expect(scene.node.store.reservations.totals().get('arkade')).toBe(99_750n);
  await scene.world.advance(1_801);
  await expect.poll(() => scene.node.store.reservations.totals(), { timeout: 60_000 }).toEqual(new Map());
  away = false;
  await expect.poll(() => scene.node.runtime.workingSet.size, { timeout: 60_000 }).toBe(0);
});

test('a settlement that the Lightning node refused by mistake is made after the next start', async () => {
  let wrong = false;
  scene = await openScene({
    pollMs: 3_600_000,
    onBoundary(what, at) {
      if (wrong && what === 'lightning.settle' && at === 'before')
        throw anyFailure('refused', 'never', 'it refuses without a reason');
    },
  });
  const { record, secret } = await lockLightningArkade(scene);
  wrong = true;
  await scene.client.claim(record, secret);
  await expect.poll(() => scene.node.store.effects.of(record.id).map((row) => row.parked !== null)).toEqual([true]);
  wrong = false;
  await scene.restart({});
  await scene.node.until(record.id, 'claimed');
  expect(scene.world.paid(sha256Of(secret))).toBe('settled');
});

test('a Lightning node that lags behind the chain is given nothing to pay until it has caught up', async () => {
  scene = await openScene({});
  scene.world.lagLightning(3);
  const { bolt11, hash } = scene.world.invoice(100_000n);
  const { id, arkade_vhtlc_address } = await scene.client.createArkadeLightning(scene.node, bolt11, 100_000n);
  scene.world.faucet(arkade_vhtlc_address, 100_260n);
  await expect
    .poll(() => scene.node.logged.some((line) => line.includes('nothing is given or paid until it has caught up')))
    .toBe(true);
  expect(await scene.node.ports.lightning?.payment(hash)).toEqual({ is: 'absent' });
  scene.world.lagLightning(0);
  await scene.world.advance(60);
  expect(await scene.node.until(id, 'claimed', 'stopped')).toBe('claimed');
});
