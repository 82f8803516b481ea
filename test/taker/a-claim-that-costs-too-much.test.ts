import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { refuse } from '../../engine/domain/errors.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import type { Pair } from './pair.ts';
import { startTogether, type Together } from './together.ts';

/* The provider locks while the chain is dearer than the whole coin: the secret is all that it is after. */

vi.setConfig({ testTimeout: 150_000 });

let swaps: Together;
let pair: Pair;
let questions: number;
beforeEach(async () => {
  swaps = await startTogether();
  ({ pair } = swaps);
  questions = 0;
  pair.tampered.claimTogether = async () => {
    questions += 1;
    return refuse('forbidden', 'Thank you.');
  };
});
afterEach(() => pair?.stop().catch(() => undefined));

const aWhile = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A swap whose coin lies there since a moment ago, while blocks ask nearly all that fees may. */
async function lockedWhileDear(): Promise<{ id: string; coin: Outpoint }> {
  const id = await swaps.buy();
  type Progress = { target?: { coin?: { outpoint: Outpoint } | null } };
  const coinOf = () => (pair.taker.store.swaps.byId(id)?.progress as Progress | undefined)?.target?.coin?.outpoint;
  await expect.poll(coinOf, { timeout: 30_000 }).toBeDefined();
  await pair.world.mine(1);
  pair.world.bitcoin.setFeeRate(490);
  pair.world.bitcoin.setMempoolMinimum(480);
  await swaps.minedUntil(id, 'claiming');
  await aWhile(3_000);
  return { id, coin: coinOf()! };
}

test('fault 169, bitcoin: no secret is shown for a coin whose claim costs more than it holds', async () => {
  const { id, coin } = await lockedWhileDear();
  const { refundHeight } = swaps.htlcOf(id).htlc as MusigHtlcTerms;
  for (let left = refundHeight - pair.world.bitcoin.clock.height() - 1; left > 0; left--) {
    await pair.world.mine(1);
    await aWhile(60);
  }
  await expect.poll(() => pair.taker.at(id), { timeout: 30_000 }).not.toBe('claiming');
  expect({ questions, spend: pair.world.bitcoin.spend(coin) ?? null }).toEqual({ questions: 0, spend: null });
});

test('fault 169, bitcoin: a coin whose claim was too dear is claimed once the chain asks for less', async () => {
  const { id, coin } = await lockedWhileDear();
  const before = [questions, pair.world.bitcoin.spend(coin) ?? null];
  pair.world.bitcoin.setMempoolMinimum(1);
  pair.world.bitcoin.setFeeRate(2);
  await swaps.minedUntil(id, 'claimed', 'bought');
  expect([before, await swaps.spentBy(id, coin)]).toEqual([[0, null], 'claim']);
});
