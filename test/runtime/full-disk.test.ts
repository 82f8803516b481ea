import { afterEach, beforeEach, expect, test } from 'vitest';
import { lightningFailure } from '../../engine/legs/lightning/failures.ts';
import { alertName } from '../../engine/runtime/alert-names.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { lockLightningArkade } from '../support/openings.ts';
import type { NodeOptions } from '../support/node.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
let full: boolean;
let code: string;
let refused: number;
/** Called before each act of a port. */
let before: (what: string) => void;

const options: NodeOptions = {
  pollMs: 20,
  onBoundary(what, moment) {
    if (moment === 'before') before(what);
    if (!full || what !== 'commit' || moment !== 'before') return;
    refused++;
    throw Object.assign(new Error('the disk fails'), { code });
  },
};

beforeEach(async () => {
  full = false;
  code = 'SQLITE_FULL';
  refused = 0;
  before = () => undefined;
  scene = await openScene(options);
});

afterEach(() => scene.end());

test('fault 3: a claim seen while the disk is full is settled as soon as there is room', async () => {
  const alerts: string[] = [];
  scene.node.runtime.onAlert(({ sentence }) => void alerts.push(sentence));
  const { record, secret } = await lockLightningArkade(scene);
  full = true;
  await scene.client.claim(record, secret);
  await expect.poll(() => scene.node.runtime.guard.paused()?.by).toBe('guard');
  // Long enough for dozens of polls, each of which sees the claim again.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const before = refused;
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  const perSecond = (refused - before) / 2.2;
  full = false;
  await scene.node.until(record.id, 'claimed');
  await expect.poll(() => scene.node.runtime.guard.paused(), { timeout: 60_000 }).toBe(null);
  expect({ payment: scene.world.paid(sha256Of(secret)), alerts: alerts.length, waits: perSecond < 60 }).toEqual({
    payment: 'settled',
    alerts: expect.any(Number),
    waits: true,
  });
  expect(alerts.length).toBeLessThan(8);
  expect(alerts.map((sentence) => alertName(null, sentence))).toContain('database-unwritable');
});

test.each(['SQLITE_FULL', 'SQLITE_CORRUPT'])(
  'fault 3: while the disk fails with %s a claim seen is settled from memory',
  async (failure) => {
    code = failure;
    const { record: held, secret } = await lockLightningArkade(scene);
    const invoice = scene.world.invoice(50_000n);
    const sent = await scene.client.createArkadeLightning(scene.node, invoice.bolt11, 50_000n);
    scene.world.lightning.setFaults({ nextPayment: 'hangs' });
    scene.world.faucet(sent.arkade_vhtlc_address, BigInt(sent.source_amount));
    await scene.node.until(sent.id, 'paying');
    const wallet = async (): Promise<bigint> => (await scene.node.ports.arkade!.balance([])).available;
    const before = await wallet();
    full = true;
    await scene.client.claim(held, secret);
    scene.world.lightning.release(Buffer.from(invoice.hash).toString('hex'), 'settles');
    await expect.poll(() => scene.world.paid(sha256Of(secret)), { timeout: 60_000 }).toBe('settled');
    await expect.poll(async () => (await wallet()) - before, { timeout: 60_000 }).toBe(BigInt(sent.source_amount));
    expect([scene.node.at(held.id), scene.node.at(sent.id)]).toEqual(['locked', 'paying']);
    full = false;
    await scene.node.until(held.id, 'claimed');
    await scene.node.until(sent.id, 'claimed');
    expect([
      (await wallet()) - before,
      scene.node.logged.filter((line) => line.includes('claimed from memory')).length,
    ]).toEqual([BigInt(sent.source_amount), 2]);
  },
  40_000,
);

test('fault 3: a claim that was asked for before the disk failed is made from memory as well', async () => {
  const invoice = scene.world.invoice(50_000n);
  const sent = await scene.client.createArkadeLightning(scene.node, invoice.bolt11, 50_000n);
  scene.world.lightning.setFaults({ nextPayment: 'hangs' });
  scene.world.faucet(sent.arkade_vhtlc_address, BigInt(sent.source_amount));
  await scene.node.until(sent.id, 'paying');
  const wallet = async (): Promise<bigint> => (await scene.node.ports.arkade!.balance([])).available;
  const before = await wallet();
  scene.world.operator.faults.away();
  scene.world.lightning.release(Buffer.from(invoice.hash).toString('hex'), 'settles');
  await scene.node.until(sent.id, 'claiming');
  full = true;
  scene.world.operator.faults.back();
  await expect.poll(async () => (await wallet()) - before, { timeout: 20_000 }).toBe(BigInt(sent.source_amount));
  full = false;
  await scene.node.until(sent.id, 'claimed');
  expect((await wallet()) - before).toBe(BigInt(sent.source_amount));
}, 60_000);

test('fault 3: a node that dies with its disk full finds after the start what it claimed from memory', async () => {
  const { record: held, secret } = await lockLightningArkade(scene);
  full = true;
  await scene.client.claim(held, secret);
  await expect.poll(() => scene.world.paid(sha256Of(secret)), { timeout: 60_000 }).toBe('settled');
  full = false;
  await scene.restart({});
  await scene.node.until(held.id, 'claimed');
});

test('fault 3: a create whose invoice can neither be saved nor given up is refused with a sentence', async () => {
  before = (what) => {
    full ||= what === 'lightning.createHold';
  };
  await scene.restart({ ...options, config: { timing: { createWaitSeconds: 1 } } });
  await expect(scene.client.createLightningArkade(scene.node, 100_000n, scene.client.secret())).rejects.toThrow(
    'The database cannot be written',
  );
  expect(refused).toBeGreaterThan(0);
  full = false;
});

test('fault 3: a refund that is asked for while the disk is full is told to wait, and signed later', async () => {
  before = (what) => {
    if (what === 'lightning.pay') throw lightningFailure('lightning-away', 'safe', 'the Lightning node is away');
  };
  const { client, world } = scene;
  const { bolt11 } = world.invoice(50_000n, { expirySeconds: 86_400 });
  const record = await client.createArkadeLightning(scene.node, bolt11, 50_000n);
  world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  await scene.node.until(record.id, 'funded');
  await world.advance(3 * 3_600);
  await expect.poll(() => scene.node.status(record.id)).toBe('serverwontfund');
  full = true;
  await expect(client.collabRefund(scene.node, record)).rejects.toThrow('carried out once there is room');
  full = false;
  await expect.poll(() => scene.node.runtime.guard.paused(), { timeout: 60_000 }).toBe(null);
  await client.collabRefund(scene.node, record);
});

test('fault 3: a swap that could not be saved is in no list, and the next one is made once there is room', async () => {
  const secret = scene.client.secret();
  full = true;
  await expect(scene.client.createLightningArkade(scene.node, 100_000n, secret)).rejects.toThrow('cannot be written');
  full = false;
  expect({ open: scene.node.runtime.workingSet.size, promised: scene.node.store.reservations.totals() }).toEqual({
    open: 0,
    promised: new Map(),
  });
  await expect.poll(() => scene.node.runtime.guard.paused()).toBe(null);
  await scene.client.createLightningArkade(scene.node, 100_000n, secret);
});
