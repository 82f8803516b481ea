import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { providerFailure } from '../../engine/legs/provider/failures.ts';
import type { Claiming } from '../../engine/taker/halves/bitcoin/claim/terms.ts';
import { anyFailure } from '../support/failure.ts';
import { startTogether, type Together } from './together.ts';

/* A client's own line goes just as it asks its provider to claim with it: neither that one nor its chain is reached. */

vi.setConfig({ testTimeout: 150_000 });

let isAway: boolean;
let swaps: Together;
beforeEach(async () => {
  isAway = false;
  swaps = await startTogether({
    onBoundary(what, moment) {
      // Hours pass: that blocks come is heard of.
      if (isAway && moment === 'before' && what.startsWith('bitcoin.') && what !== 'bitcoin.tip')
        throw anyFailure('away', 'safe', 'nobody answers');
    },
  });
});
afterEach(() => swaps.pair.stop());

test('fault 171, bitcoin: a secret that nobody heard stays here once its coin may be taken back', async () => {
  const { pair } = swaps;
  let calls = 0;
  pair.tampered.claimTogether = () => {
    calls += 1;
    isAway = true;
    return Promise.reject(providerFailure('provider-away', 'safe', 'the provider is not reached'));
  };
  const id = await swaps.buy();
  const coin = await swaps.coinOf(id);
  const claim = () => (pair.taker.store.swaps.byId(id)?.progress as unknown as { target: Claiming }).target;
  await expect.poll(() => claim().together?.until, { timeout: 30_000 }).toBe(null);
  await pair.provider.kill(); // it leaves its coin where it is
  const { refundHeight } = swaps.htlcOf(id).htlc as MusigHtlcTerms;
  await pair.world.mine(refundHeight - pair.world.bitcoin.clock.height() + 2);
  isAway = false;
  await expect.poll(() => pair.taker.at(id), { timeout: 60_000 }).not.toBe('claiming');
  expect([calls, await swaps.spentBy(id, coin)]).toEqual([1, null]);
});
