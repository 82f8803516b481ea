import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';
import { seedOf } from '../support/node.ts';
import { loseDatabase, only, patient, restored, swaps } from './lost.ts';
import { silence, startPair, takerSeed, type Pair } from './pair.ts';

let pair: Pair;
afterEach(() => pair.stop());
vi.setConfig({ testTimeout: 120_000 });

const hour = 3_600;
const amount = 50_000n;

function keyIndexOf(id: string): number {
  return (pair.taker.runtime.workingSet.readable(id)?.row.terms as OrderTerms).keyIndex;
}

/** What the taker's provider is asked by. */
function userXpub(): string {
  return createKeys(seedOf(takerSeed), 'regtest').userXpub;
}

function providersOf(id: string): string {
  return pair.taker.taker.swap(id)?.provider_swap_id ?? '';
}

test('from Lightning: what the provider locked while the node was gone is claimed', async () => {
  pair = await startPair(patient);
  const id = await pair.fromLightning(amount);
  const { invoice, receive_sats, provider_swap_id } = await pair.listed(id);
  await loseDatabase(pair, async () => {
    pair.world.pay(invoice ?? '');
    await pair.provider.until(provider_swap_id ?? '', 'locked');
  });
  const again = await only(pair);
  const { swaps: rows, all_found: all } = pair.taker.taker.restored();
  expect([rows[0]?.unproven, all]).toEqual([['amounts', 'paid', 'only-one'], false]);
  await pair.taker.until(again, 'claimed');
  await pair.provider.until(provider_swap_id ?? '', 'claimed');
  expect([providersOf(again), await pair.balance()]).toEqual([provider_swap_id, BigInt(receive_sats)]);
});

test('from Lightning: nobody is asked to pay again, and a payment that comes all the same is claimed', async () => {
  pair = await startPair(patient);
  const { invoice, receive_sats } = await pair.listed(await pair.fromLightning(amount));
  await loseDatabase(pair);
  const again = await only(pair);
  const { phase, pay, turn } = pair.taker.taker.swap(again) as TakerSwap;
  expect({ phase, pay, turn: { who: turn.who, step: turn.step } }).toEqual({
    phase: 'wait',
    pay: null,
    turn: { who: 'node', step: 'look' },
  });
  pair.world.pay(invoice ?? '');
  await pair.taker.until(again, 'claimed');
  expect(await pair.balance()).toBe(BigInt(receive_sats));
});

test('from Arkade: coins that the provider never paid for come back alone, by the locktime', async () => {
  pair = await startPair(patient);
  const id = await pair.toLightning(pair.world.invoice(amount, { hold: true }).bolt11, amount);
  const { address, amount_sats } = await pair.listed(id);
  await loseDatabase(pair, async () => pair.world.faucet(address ?? '', BigInt(amount_sats)));
  const again = await only(pair);
  await pair.taker.until(again, 'funded');
  await pair.provider.kill();
  await pair.world.advance(60 * hour);
  await pair.world.mine(12);
  await pair.taker.until(again, 'done');
  expect([pair.taker.taker.swap(again)?.outcome, await pair.balance()]).toEqual(['returned', BigInt(amount_sats)]);
});

test('from Arkade: an invoice that was paid while the node was gone is shown as finished', async () => {
  pair = await startPair(patient);
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  const { address, amount_sats, provider_swap_id } = await pair.listed(id);
  await loseDatabase(pair, async () => {
    pair.world.faucet(address ?? '', BigInt(amount_sats));
    await pair.provider.until(provider_swap_id ?? '', 'claimed');
  });
  const again = await only(pair);
  await pair.taker.until(again, 'done');
  expect([pair.taker.taker.swap(again)?.outcome, await pair.balance()]).toEqual(['finished', 0n]);
});

test('what is here already is left as it is, and a second run changes nothing', async () => {
  pair = await startPair(patient);
  const here = await pair.fromLightning(amount);
  const before = [swaps(pair), pair.taker.store.counters.peek('taker')];
  expect((await restored(pair)).counts).toEqual({ reopened: 0, held: 1, over: 0, refused: 0, later: 0 });
  expect([swaps(pair), pair.taker.store.counters.peek('taker')]).toEqual(before);
  await loseDatabase(pair);
  const reopened = await only(pair);
  const next = [swaps(pair).map(({ id }) => id), pair.taker.store.counters.peek('taker')];
  expect((await restored(pair)).counts).toEqual({ reopened: 0, held: 1, over: 0, refused: 0, later: 0 });
  expect([swaps(pair).map(({ id }) => id), pair.taker.store.counters.peek('taker')]).toEqual(next);
  expect([reopened === here, keyIndexOf(reopened)]).toEqual([false, 0]);
});

test('no key is used twice: the next swap leaves out what was found, and ten thousand more', async () => {
  pair = await startPair(patient);
  const ids = [await pair.fromLightning(amount), await pair.fromLightning(amount)];
  expect(ids.map(keyIndexOf)).toEqual([0, 1]);
  await loseDatabase(pair);
  expect((await restored(pair)).counts.reopened).toBe(2);
  const next = await pair.fromLightning(amount);
  expect(keyIndexOf(next)).toBe(20_000);
});

const nothing = async () => ({ swaps: [], scannedUntil: 199, complete: true });

test('fault 100: words that come back twice to a provider that hides them begin at another key', async () => {
  pair = await startPair(patient);
  const begun: number[] = [];
  for (const _life of ['first', 'second', 'third']) {
    await loseDatabase(pair);
    pair.tampered.recover = nothing;
    begun.push(keyIndexOf(await claimed()));
  }
  expect(begun).toEqual([10_000, 20_000, 30_000]);
});

test('fault 100: a folder that was rolled back is noticed by a claim that its providers hide', async () => {
  pair = await startPair(patient);
  pair.tampered.recover = nothing;
  await claimed();
  await pair.taker.kill();
  const image = ['sluice.db', 'sluice.db-wal', 'taker-high-water'].map((name) => {
    const bytes = readFileSync(join(pair.taker.nextFolder, name));
    return () => writeFileSync(join(pair.taker.nextFolder, name), bytes);
  });
  await pair.restartTaker();
  const level = pair.taker.runtime.guard.paused();
  await claimed();
  await pair.taker.kill();
  for (const roll of image) roll();
  await pair.restartTaker();
  await expect(pair.fromLightning(amount)).rejects.toThrow('The swap was not started: The networks show acts');
  expect([level, pair.taker.runtime.guard.paused()?.reason]).toEqual([
    null,
    expect.stringContaining('a claim shows the secret of key 1, and this folder has come to 1'),
  ]);
});

async function claimed(): Promise<string> {
  const id = await pair.fromLightning(amount);
  pair.world.pay((await pair.listed(id)).invoice ?? '');
  await pair.taker.until(id, 'claimed');
  return id;
}

test('a provider that is silent is said to be, and the first swap waits for it', async () => {
  pair = await startPair(patient);
  await pair.fromLightning(amount);
  await loseDatabase(pair);
  Object.assign(pair.tampered, { recover: silence });
  expect((await restored(pair)).providers).toEqual([{ provider_url: '', state: 'silent' }]);
  await expect(pair.fromLightning(amount)).rejects.toThrow('may know secrets of this seed');
});

test('a provider that takes its time with every answer does not hold the first swap for long', async () => {
  pair = await startPair({ ...patient, taker: { ...patient.taker, wordsFromElsewhere: true } });
  const now = performance.now.bind(performance);
  let questions = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + questions * 19_000);
  pair.tampered.recover = async (start) => {
    questions += 1;
    return { swaps: [], scannedUntil: start, complete: false };
  };
  await expect(pair.fromLightning(amount)).rejects.toThrow('takes too long to answer');
  clock.mockRestore();
  expect(questions).toBe(4);
});

test('a provider that answers the same and more without an end costs a bounded number of questions', async () => {
  pair = await startPair(patient);
  await pair.fromLightning(amount);
  const [given] = (await pair.provider.asProvider(userXpub()).recover(0))?.swaps ?? [];
  await loseDatabase(pair);
  let questions = 0;
  pair.tampered.recover = async (start) => {
    questions += 1;
    const copies = Array.from({ length: 3_000 }, (_, i) => ({ id: `copy-${start}-${i}` }));
    return { swaps: [given, given, ...copies], scannedUntil: start + 199, complete: false };
  };
  const { counts, providers, swaps: listed, left_out } = await restored(pair);
  expect([providers[0]?.state, questions, counts.reopened, listed.length, left_out, swaps(pair).length]).toEqual([
    'cut',
    1,
    1,
    200,
    1_800,
    1,
  ]);
});

test('fault 93: one key of ours under any number of invoices opens a few swaps, and not thousands', async () => {
  pair = await startPair(patient);
  await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  const [given] = (await pair.provider.asProvider(userXpub()).recover(0))?.swaps ?? [];
  const made = Array.from({ length: 40 }, (_, i) => ({ ...(given as object), id: `made-up-${i}` }));
  pair.tampered.recover = async () => ({ swaps: [...made, given], scannedUntil: 199, complete: true });
  const { counts } = await restored(pair);
  expect([counts, swaps(pair).length]).toEqual([{ reopened: 4, held: 1, over: 0, refused: 36, later: 0 }, 5]);
});
