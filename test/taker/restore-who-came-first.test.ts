import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { TakeBitcoinArkadeTerms } from './taken.ts';
import type { TakerProgress } from '../../engine/taker/terms.ts';
import { seedOf, startNodeOn, type TestNode } from '../support/node.ts';
import { openSwap, pay, stageOf, swapOf, type Stage } from './by-half.ts';
import { loseDatabase, restored } from './lost.ts';
import { takerSeed } from './pair.ts';

/*
 * Somebody who is asked for the swaps of our words names one of the same direction on the secret of a true one, before
 * its provider is asked: what was given to that provider must be found all the same.
 */

let stage: Stage;
let other: TestNode;
let folder: string;
vi.setConfig({ testTimeout: 180_000 });

const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');

beforeEach(async () => {
  stage = await stageOf(['bitcoin-arkade'], { untilMs: 90_000 });
  folder = mkdtempSync(join(tmpdir(), 'sluice-other-'));
  other = await startNodeOn(stage.pair.world, folder, { seed: 7, bitcoinWallet: true });
});

afterEach(async () => {
  await other.stop();
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A record of the same direction, key and secret, between us and somebody else. */
async function madeUp(id: string): Promise<unknown> {
  const terms = stage.pair.taker.runtime.workingSet.find(id)?.row.terms as TakeBitcoinArkadeTerms;
  const { hash, key, targetAddress, userId, keyIndex } = terms;
  const created = await other.asProvider(userXpub).create({
    direction: 'bitcoin-arkade',
    hash,
    keyIndex,
    body: {
      arkade_htlc_script_version: 1,
      btc_htlc_script_version: 1,
      claim_pk: toHex(key),
      refund_pk: toHex(key),
      hash_lock: toHex(hash160OfSha256(hash)),
      sats_receive: 3_000,
      target_arkade_address: targetAddress,
      user_id: userId,
    },
  });
  expect(created.is === 'created' ? '' : created.sentence).toBe('');
  return (await other.asProvider(userXpub).recover(0))?.swaps[0];
}

test('fault 159: a swap that somebody makes up on our secret hides no other that is found again', async () => {
  const { pair } = stage;
  const opened = await openSwap(stage, 'bitcoin-arkade');
  const forged = await madeUp(opened.id);
  const [given] = (await pair.provider.asProvider(userXpub).recover(0))?.swaps ?? [];
  await pair.provider.kill();
  await pay(stage, opened);
  await pair.taker.until(opened.id, 'funded');
  await loseDatabase(pair);
  pair.tampered.recover = async () => ({ swaps: [forged, given], scannedUntil: 199, complete: true });
  const { counts, swaps } = await restored(pair);
  expect(counts).toMatchObject({ reopened: 2, held: 0 });
  const ids = swaps.map(({ id }) => id ?? '');
  const isShared = (id: string) => 'shared' in (pair.taker.runtime.workingSet.find(id)?.row.progress as TakerProgress);
  expect(ids.map((id) => [isShared(id), swapOf(pair, id).reason])).toEqual([
    [true, 'flagged'],
    [true, 'flagged'],
  ]);
  // What was paid is seen, and comes back.
  await pair.taker.until(ids[1] ?? '', 'funded');
  // Asked again, both are here.
  expect((await restored(pair)).counts).toMatchObject({ reopened: 0, held: 2 });
});
