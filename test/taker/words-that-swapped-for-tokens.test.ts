import { afterEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';
import { seedOf } from '../support/node.ts';
import { openSwap, stageOf, type Stage } from './by-half.ts';
import { loseDatabase, only } from './lost.ts';
import { takerSeed } from './pair.ts';

/*
 * Words whose swaps went to an EVM chain, where a claim shows their secret to everybody, come back to an empty folder:
 * their providers name an account of ours, which all keys share, and the hash of that secret.
 */

let stage: Stage;
afterEach(() => stage.stop());
vi.setConfig({ testTimeout: 180_000 });

const directions = ['lightning-evm', 'bitcoin-evm'] as const;
const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');

async function begun(direction: (typeof directions)[number]): Promise<number> {
  const { id } = await openSwap(stage, direction);
  return (stage.pair.taker.runtime.workingSet.find(id)?.row.terms as OrderTerms).keyIndex;
}

test.each(directions)('fault 237, evm: words that come back twice leave out the keys of %s', async (direction) => {
  stage = await stageOf([direction], { untilMs: 90_000 });
  const indices: number[] = [];
  for (const _life of ['first', 'second', 'third']) {
    await loseDatabase(stage.pair);
    indices.push(await begun(direction));
  }
  expect(indices).toEqual([10_000, 20_000, 30_000]);
});

test.each(directions)('fault 237, evm: a swap that is found again leaves out its key (%s)', async (direction) => {
  stage = await stageOf([direction], { untilMs: 90_000 });
  const { pair } = stage;
  await loseDatabase(pair);
  expect(await begun(direction)).toBe(10_000);
  const page = await pair.provider.asProvider(userXpub).recover(10_000);
  await loseDatabase(pair);
  pair.tampered.recover = async () => page;
  await only(pair);
  // Whoever is asked for the first swap hides it.
  pair.tampered.recover = async () => ({ swaps: [], scannedUntil: 199, complete: true });
  expect(await begun(direction)).toBe(20_000);
});
