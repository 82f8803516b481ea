import { expect, test } from 'vitest';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { openStore } from '../store/support.ts';
import { coin, coinPoint, hash, lightningArkadeTerms as t, preimage, spentBy } from '../swap/cases.ts';
import { lightningRow, open, runtimeOn } from './support.ts';

const locked = {
  ...{ at: 'locked' as const, lock: coinPoint, bolt11: 'lnbcrt1' },
  ...{ invoiceExpiresAt: t.fundBefore, expiryHeight: 1_000_000 },
};

test('fault 3: a secret that is seen behind other news while the disk is full is saved as well', async () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow(locked));
  const { atomically } = store;
  store.atomically = () => {
    throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  };
  expect(runtime.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin(spentBy.stranger)] })).toBe('unsaved');
  // As the operator's queue shows it, for a moment.
  expect(runtime.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin(spentBy.queuedClaim)] })).toBe('unsaved');
  store.atomically = atomically;
  await expect.poll(() => store.preimages.find(hash160OfSha256(hash)), { timeout: 5_000 }).toEqual(preimage);
});
