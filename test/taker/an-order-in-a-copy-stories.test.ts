import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { seedOf } from '../support/node.ts';
import { copyDatabase } from '../support/scene.ts';
import { hour, openSwap, pastLocktime, pay, stageOf, swapOf, tokensOf, type Stage } from './by-half.ts';
import { only, restored } from './lost.ts';
import { takerSeed } from './pair.ts';

/* An order that was made before a backup, and paid after it: the copy knows of no signature, or of no deal. */

// Two nodes and a chain, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');

let stage: Stage;
let backup: string;
beforeEach(() => {
  backup = mkdtempSync(join(tmpdir(), 'sluice-copy-'));
});
afterEach(async () => {
  await stage?.stop();
  rmSync(backup, { recursive: true, force: true });
});

/** The disk dies, and the copy starts in its place, past the window in which the order was to be paid. */
async function restore({ target }: Deal, options: { readonly restored?: true } = { restored: true }): Promise<void> {
  const { pair } = stage;
  await pair.taker.kill();
  const isOver = target.on === 'lightning' ? (target as LightningLeg).expiresAt - pair.world.now() + 60 : 2 * hour;
  await pair.world.advance(isOver);
  copyDatabase(backup, pair.taker.nextFolder);
  await pair.restartTaker(options);
}

test.each(['evm-lightning', 'evm-arkade'] as const)(
  'fault 230, evm: tokens that were locked after a backup come back in its copy (%s)',
  async (direction) => {
    stage = await stageOf([direction], { untilMs: 90_000 });
    const { pair } = stage;
    const opened = await openSwap(stage, direction);
    const { id, deal, swap } = opened;
    copyDatabase(pair.taker.folder, backup);
    await pay(stage, opened);
    await pair.taker.until(id, 'funded');
    await pair.provider.kill();
    await restore(deal);
    await pair.taker.until(id, 'funded');
    await pastLocktime(stage, deal);
    await pair.taker.until(id, 'done');
    expect([swapOf(pair, id).outcome, await tokensOf(stage, swap.pay?.text ?? '')]).toEqual([
      'returned',
      BigInt(swap.pay?.amount ?? '0'),
    ]);
  },
);

test('fault 230, evm: a copy that nobody noticed finds the lock of an unpaid order when it looks again', async () => {
  stage = await stageOf(['evm-lightning'], { untilMs: 90_000 });
  const { pair } = stage;
  const opened = await openSwap(stage, 'evm-lightning');
  const { id, deal, swap } = opened;
  copyDatabase(pair.taker.folder, backup);
  await pay(stage, opened);
  await pair.taker.until(id, 'funded');
  await restore(deal, {});
  await pair.taker.until(id, 'lapsed');
  // Its invoice is over, and the provider signs what brings them back.
  await pair.taker.until(await only(pair), 'done');
  expect((await restored(pair)).counts).toMatchObject({ reopened: 0, held: 1 });
  expect(await tokensOf(stage, swap.pay?.text ?? '')).toBe(BigInt(swap.pay?.amount ?? '0'));
});

test('an order that nobody paid for is held as it is, whoever looks for it again', async () => {
  stage = await stageOf(['evm-lightning'], { untilMs: 90_000 });
  const { pair } = stage;
  const { id, deal } = await openSwap(stage, 'evm-lightning');
  copyDatabase(pair.taker.folder, backup);
  await restore(deal, {});
  await pair.taker.until(id, 'lapsed');
  expect((await restored(pair)).counts).toMatchObject({ reopened: 0, held: 1 });
});

/** A copy from the moment at which the provider was asked, which does not wait for its answer any more. */
async function whileAsked(direction: 'arkade-bitcoin' | 'lightning-arkade') {
  stage = await stageOf([direction], { untilMs: 90_000 });
  const { pair } = stage;
  pair.tampered.create = (order) => {
    copyDatabase(pair.taker.folder, backup);
    return pair.provider.asProvider(userXpub).create(order);
  };
  const opened = await openSwap(stage, direction);
  await pair.taker.kill();
  await pair.world.advance(120);
  copyDatabase(backup, pair.taker.nextFolder);
  await pair.restartTaker({ restored: true });
  await pair.taker.until(opened.id, 'refused');
  await pay(stage, opened);
  return only(pair);
}

test('fault 230, arkade: an order that a copy was still asking for is found again with what was paid', async () => {
  const id = await whileAsked('arkade-bitcoin');
  await stage.pair.taker.until(id, 'funded');
  expect(swapOf(stage.pair, id).reason).not.toBe('flagged');
});

test('fault 230, arkade: what is bought by an order that a copy was still asking for is claimed', async () => {
  const id = await whileAsked('lightning-arkade');
  await stage.pair.taker.until(id, 'claimed');
  expect(swapOf(stage.pair, id).outcome).toBe('finished');
});
