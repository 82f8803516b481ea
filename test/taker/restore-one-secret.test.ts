import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { toHex } from '../../engine/domain/hex.ts';
import type { TakeLightningArkadeTerms } from './taken.ts';
import type { Deal, TakerProgress } from '../../engine/taker/terms.ts';
import { seedOf, startNodeOn, type TestNode } from '../support/node.ts';
import { openSwap, stageOf, swapOf, type Stage } from './by-half.ts';
import { loseDatabase, restored } from './lost.ts';
import { legOn, takerSeed } from './pair.ts';

/*
 * A key of ours makes one secret, whatever the direction. A provider that was given something for it makes up a second
 * swap on the same secret, for next to nothing: whoever claims that one shows what opens the first.
 */

let stage: Stage;
/** Of the same people as the provider, under another seed. */
let other: TestNode;
let folder: string;
vi.setConfig({ testTimeout: 180_000 });

const little = 2_000;
const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');

beforeEach(async () => {
  stage = await stageOf(['bitcoin-arkade', 'lightning-arkade'], { untilMs: 90_000 });
  folder = mkdtempSync(join(tmpdir(), 'sluice-other-'));
  other = await startNodeOn(stage.pair.world, folder, { seed: 7 });
});

afterEach(async () => {
  await other.stop();
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The record of a swap over Lightning that nobody asked for, on the secret of a swap of ours. */
async function madeUp(id: string): Promise<unknown> {
  const terms = stage.pair.taker.runtime.workingSet.find(id)?.row.terms as TakeLightningArkadeTerms;
  const { hash, key, targetAddress, userId, keyIndex } = terms;
  const created = await other.asProvider(userXpub).create({
    direction: 'lightning-arkade',
    hash,
    keyIndex,
    body: {
      arkade_htlc_script_version: 1,
      claim_pk: toHex(key),
      hash_lock: `0x${toHex(hash)}`,
      target_arkade_address: targetAddress,
      user_id: userId,
      source_amount_sats: little,
      invoice_description: '',
    },
  });
  expect(created.is).toBe('created');
  return (await other.asProvider(userXpub).recover(0))?.swaps[0];
}

/** The other one pays its own invoice, locks, and waits for our secret. */
async function locked(id: string): Promise<void> {
  const { deal } = stage.pair.taker.runtime.workingSet.find(id)?.row.progress as TakerProgress & {
    readonly deal: Deal;
  };
  stage.pair.world.pay(legOn(deal, 'lightning').bolt11);
  await other.until(deal.swapId, 'locked');
  await pause(2_000);
  expect(other.at(deal.swapId)).toBe('locked');
}

function sharedAt(id: string) {
  const { at, ...progress } = stage.pair.taker.runtime.workingSet.find(id)?.row.progress as TakerProgress;
  return { at, shared: 'shared' in progress };
}

test('fault 140: a swap that is here keeps its secret where a provider makes up another of its key', async () => {
  const { pair } = stage;
  const { id } = await openSwap(stage, 'bitcoin-arkade');
  const forged = await madeUp(id);
  pair.tampered.recover = async () => ({ swaps: [forged], scannedUntil: 199, complete: true });
  const { counts, swaps } = await restored(pair);
  expect(counts.reopened).toBe(1);
  const made = swaps[0]?.id ?? '';
  await locked(made);
  expect([sharedAt(made), swapOf(pair, made).reason, sharedAt(id)]).toEqual([
    { at: 'waiting', shared: true },
    'flagged',
    { at: 'waiting', shared: false },
  ]);
});

test('fault 140: of two on one secret that are found again neither shows it', async () => {
  const { pair } = stage;
  const { id } = await openSwap(stage, 'bitcoin-arkade');
  const forged = await madeUp(id);
  const [given] = (await pair.provider.asProvider(userXpub).recover(0))?.swaps ?? [];
  await loseDatabase(pair);
  pair.tampered.recover = async () => ({ swaps: [forged, given], scannedUntil: 199, complete: true });
  const { counts, swaps } = await restored(pair);
  expect(counts.reopened).toBe(2);
  const ids = swaps.map((swap) => swap.id ?? '');
  await locked(ids[0] ?? '');
  expect(ids.map((one) => [sharedAt(one), swapOf(pair, one).reason])).toEqual([
    [{ at: 'waiting', shared: true }, 'flagged'],
    [{ at: 'waiting', shared: true }, 'flagged'],
  ]);
});
