import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { createBitcoin } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { coinPoint, lightningArkadeTerms as t, start } from '../swap/cases.ts';
import { openStore } from '../store/support.ts';
import { lightningRow, open, runtimeOn } from './support.ts';

const invoice = { bolt11: 'lnbcrt1', invoiceExpiresAt: t.fundBefore };

function chainAt(wall: () => number) {
  const journal = memoryJournal();
  return createBitcoin({ journal, time: createTime(journal, wall) });
}

test('a swap is woken at its deadline and not a second before', async () => {
  const { store } = openStore();
  let wall: number = t.fundBefore - 1;
  const runtime = runtimeOn(store, {}, () => unix(wall));
  await runtime.start();
  const id = open(runtime, lightningRow({ at: 'pending', ...invoice }));
  await runtime.wake();
  const before = runtime.workingSet.find(id)?.row.progress.at;
  wall += 1;
  await runtime.wake();
  expect([before, runtime.workingSet.find(id)?.row.progress.at]).toEqual(['pending', 'stopped']);
  await runtime.stop();
});

test('a refund waits for the clock of the chain, however late the machine thinks it is', async () => {
  const { store } = openStore();
  const chain = chainAt(() => start);
  const wall: number = t.vhtlc.refundLocktime + 90_000;
  const runtime = runtimeOn(store, { bitcoin: createBitcoinPort(chain) }, () => unix(wall));
  await runtime.start();
  const id = open(runtime, lightningRow({ at: 'locked', lock: coinPoint, ...invoice, expiryHeight: 1_000_000 }));
  await runtime.wake();
  const early = runtime.workingSet.find(id)?.row.progress.at;
  chain.advance(t.vhtlc.refundLocktime - start + 60);
  await runtime.wake();
  expect([early, runtime.workingSet.find(id)?.row.progress.at]).toEqual(['locked', 'refunding']);
  await runtime.stop();
});

test('a refund opens by the clock of the chain, however early the machine thinks it is', async () => {
  const { store } = openStore();
  const chain = chainAt(() => start);
  const runtime = runtimeOn(store, { bitcoin: createBitcoinPort(chain) }, () => unix(start));
  await runtime.start();
  const id = open(runtime, lightningRow({ at: 'locked', lock: coinPoint, ...invoice, expiryHeight: 1_000_000 }));
  chain.advance(t.vhtlc.refundLocktime - start + 60);
  await runtime.wake();
  expect(runtime.workingSet.find(id)?.row.progress.at).toBe('refunding');
  await runtime.stop();
});

test('a deadline that passed while nothing ran is met by the start itself', async () => {
  const { folder, db, store } = openStore();
  const id = open(runtimeOn(store), lightningRow({ at: 'pending', ...invoice }));
  db.close();
  const again = openStore(folder).store;
  const runtime = runtimeOn(again, {}, () => unix(t.fundBefore + 1));
  await runtime.start();
  expect(again.swaps.byId(id)?.progress.at).toBe('stopped');
  await runtime.stop();
});
