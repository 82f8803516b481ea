import { expect, test } from 'vitest';
import { btc, btcOn, sats } from '../../engine/domain/money.ts';
import type { Txid } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { coin, coinPoint, hash, lightningArkadeTerms as t, preimage, spentBy, start, txid } from '../swap/cases.ts';
import { openStore } from '../store/support.ts';
import { lightningRow, open, runtimeOn } from './support.ts';

const invoice = { bolt11: 'lnbcrt1', invoiceExpiresAt: t.fundBefore };
const locked = { at: 'locked' as const, lock: coinPoint, ...invoice, expiryHeight: 1_000_000 };

test('a move saves the state, its line, its effects, and what it learned, in one go', () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow(locked), [{ do: 'hold.cancel', hash }]);
  const moved = runtime.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
  const row = store.swaps.byId(id);
  expect({
    moved,
    at: row?.progress.at,
    status: row?.status,
    version: row?.version,
    journal: store.journal.of(id).at(-1),
    effects: store.effects.of(id).map(({ effect }) => effect.do),
    preimage: store.preimages.find(hash160OfSha256(hash)),
    inTerms: JSON.stringify(row?.progress).includes('secret'),
  }).toEqual({
    moved: 'moved',
    at: 'claiming',
    status: 'clientredeemed',
    version: 1,
    journal: { time: start, event: 'vhtlc.seen', from: 'locked', to: 'claiming', effects: ['hold.settle'] },
    effects: ['hold.settle'],
    preimage,
    inTerms: false,
  });
});

test('an event that moves nothing leaves no trace but the end of the effect that caused it', () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow(locked), [{ do: 'hold.cancel', hash }]);
  const [effect] = store.effects.of(id);
  const commits: unknown[] = [];
  runtime.commits.onCommit((committed) => commits.push(committed));
  const moved = runtime.commits.deliver(id, { is: 'hold.cancelled' }, { done: effect?.id ?? 0 });
  expect({
    moved,
    version: store.swaps.byId(id)?.version,
    lines: store.journal.of(id).length,
    effects: store.effects.of(id),
    commits,
  }).toEqual({ moved: 'stayed', version: 0, lines: 1, effects: [], commits: [] });
});

test('a transaction that was prepared for a swap that turned meanwhile is dropped, and reserves nothing', () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow({ at: 'stopped', why: 'wont', reason: 'late', ...invoice }));
  runtime.commits.deliver(
    id,
    { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
    {
      prepared: (inner, now) =>
        inner.transactions.insert(
          {
            ...btcOn('arkade'),
            txid: txid.lock,
            subject: id,
            leg: 'arkade',
            purpose: 'lock',
            bytes: new Uint8Array(3),
            inputs: [coinPoint],
          },
          now,
        ),
    },
  );
  expect({ transaction: store.transactions.byId(txid.lock), coins: store.transactions.reservedCoins() }).toEqual({
    transaction: null,
    coins: [],
  });
});

test('fault 291, evm: a transaction that is out already is saved whatever its swap goes by, or not at all', () => {
  const { store } = openStore();
  let full = false;
  const failing: typeof store = {
    ...store,
    atomically(work) {
      if (full) throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
      return store.atomically(work);
    },
  };
  const runtime = runtimeOn(failing);
  const id = open(runtime, lightningRow({ at: 'stopped', why: 'wont', reason: 'late', ...invoice }));
  const row = { txid: txid.lock, subject: id, leg: 'arkade' as const, purpose: 'lock', bytes: new Uint8Array(3) };
  const deliver = () =>
    runtime.commits.deliver(
      id,
      { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
      { sent: (inner, now) => inner.transactions.insert({ ...btcOn('arkade'), ...row, inputs: [] }, now) },
    );
  full = true;
  expect(deliver).toThrow('the disk is full');
  full = false;
  expect([deliver(), store.transactions.byId(txid.lock)?.state]).toEqual(['stayed', 'prepared']);
});

test('a claim overtakes our own refund: its effects are gone, its coin is free, and it is never sent', () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow({ ...locked, at: 'refunding', refundTxid: txid.refund }), [
    { do: 'vhtlc.submit', purpose: 'refund', txid: txid.refund },
  ]);
  store.transactions.insert(
    {
      ...btcOn('arkade'),
      txid: txid.refund,
      subject: id,
      leg: 'arkade',
      purpose: 'refund',
      bytes: new Uint8Array(3),
      inputs: [coinPoint],
    },
    1,
  );
  runtime.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
  expect({
    effects: store.effects.of(id).map(({ effect }) => effect.do),
    refund: store.transactions.byId(txid.refund)?.state,
    bytes: store.transactions.bytes(txid.refund),
  }).toEqual({
    effects: ['hold.settle'],
    refund: 'dead',
    bytes: null,
  });
});

test('a promise of liquidity is released by the commit that uses or ends it, and by no other', () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow({ at: 'pending', ...invoice }));
  store.reservations.hold(id, btc('arkade', sats(99_750)));
  const held = {
    is: 'held' as const,
    amount: sats(t.sourceAmount - 1n),
    smallest: sats(t.sourceAmount - 1n),
    expiryHeight: 1_000_000,
  };
  runtime.commits.deliver(id, { is: 'hold.seen', state: { is: 'open' } });
  const before = store.reservations.totals().size;
  runtime.commits.deliver(id, { is: 'hold.seen', state: held });
  runtime.commits.deliver(id, { is: 'hold.seen', state: { is: 'cancelled' } });
  expect([before, store.reservations.totals().size]).toEqual([1, 0]);
});

test('a swap that ended costs nothing any more, and is still found', () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow({ at: 'stopped', why: 'expired', reason: 'late', ...invoice }));
  runtime.commits.deliver(id, { is: 'hold.cancelled' });
  expect({
    size: runtime.workingSet.size,
    at: runtime.workingSet.find(id)?.row.progress.at,
    again: runtime.commits.deliver(id, { is: 'hold.cancelled' }),
  }).toEqual({ size: 0, at: 'lapsed', again: 'stayed' });
});

test('a warning that is up already is not written down at every poll', () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow(locked));
  const strange = { is: 'vhtlc.seen' as const, coins: [coin(spentBy.stranger)] };
  const moves = [1, 2, 3].map(() => runtime.commits.deliver(id, strange));
  expect({ moves, lines: store.journal.of(id).length, flag: store.swaps.byId(id)?.flag }).toEqual({
    moves: ['moved', 'stayed', 'stayed'],
    lines: 2,
    flag: expect.stringContaining('use another operator') as string,
  });
});

test('on a full disk nothing moves, in memory neither, and the event comes again when there is room', async () => {
  const { db, store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(runtime, lightningRow(locked));
  const alerts: string[] = [];
  runtime.onAlert(({ sentence }) => void alerts.push(sentence));
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true }) as number}`);
  // The next page is the one too many, and the last one of the journal has room for no line more.
  const fill = db.prepare(`INSERT INTO settings (key, value) VALUES (?, ?)`);
  expect(() => {
    for (let i = 0; ; i++) fill.run(`filler ${i}`, 'x'.repeat(3_000 >> Math.min(10, Math.floor(i / 4))));
  }).toThrow(/full/);
  const line = db.prepare(
    `INSERT INTO journal (subject, time, event, was_at, at, effects) VALUES ('filler', 0, '', '', '', '')`,
  );
  expect(() => {
    for (;;) line.run();
  }).toThrow(/full/);
  const step = runtime.commits.deliver(id, {
    is: 'vhtlc.seen',
    coins: [coin({ ...spentBy.clientClaim, script: new Uint8Array(34) })],
  });
  expect({
    step,
    at: runtime.workingSet.find(id)?.row.progress.at,
    disk: store.swaps.byId(id)?.progress.at,
    effects: store.effects.of(id),
    paused: runtime.guard.paused()?.by,
    told: alerts[0],
  }).toEqual({
    step: 'unsaved',
    at: 'locked',
    disk: 'locked',
    effects: [],
    paused: 'guard',
    told: 'The database cannot be written: free disk space at once, or repair the disk; open swaps depend on it.',
  });
  db.pragma('max_page_count = 1000000');
  await expect.poll(() => runtime.workingSet.find(id)?.row.progress.at, { timeout: 60_000 }).toBe('claiming');
  expect({ paused: runtime.guard.paused(), preimage: store.preimages.find(hash160OfSha256(hash)) }).toEqual({
    paused: null,
    preimage,
  });
  await runtime.stop();
});

test('fault 3: what was signed while the disk failed is signed anew, for its coin may be promised by then', async () => {
  const { store } = openStore();
  let full = false;
  const failing: typeof store = {
    ...store,
    atomically(work) {
      if (full) throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
      return store.atomically(work);
    },
  };
  const runtime = runtimeOn(failing);
  const id = open(runtime, lightningRow({ at: 'funded', ...invoice, expiryHeight: 1_000_000 }));
  const lockOf = (subject: string, of: Txid) => ({
    ...btcOn('arkade'),
    txid: of,
    subject,
    leg: 'arkade' as const,
    purpose: 'lock',
    bytes: new Uint8Array(3),
    inputs: [coinPoint],
  });
  const lock = (): string =>
    runtime.commits.deliver(
      id,
      { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
      { prepared: (inner, now) => inner.transactions.insert(lockOf(id, txid.lock), now) },
    );
  full = true;
  expect(lock).toThrow('the disk is full');
  expect(runtime.guard.paused()?.by).toBe('guard');
  store.transactions.insert(lockOf('another swap', txid.refund), 1);
  // Twice, so that it looks at a disk that is full still.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(runtime.guard.paused()?.by).toBe('guard');
  full = false;
  await expect.poll(() => runtime.guard.paused(), { timeout: 60_000 }).toBe(null);
  expect([store.swaps.byId(id)?.flag, store.transactions.byId(txid.lock), store.transactions.reservedCoins()]).toEqual([
    null,
    null,
    [coinPoint],
  ]);
  expect(lock).toThrow('UNIQUE');
  store.transactions.close(txid.refund, 'dead', 2);
  expect([lock(), store.transactions.inputs(txid.lock)]).toEqual(['moved', [coinPoint]]);
  await runtime.stop();
});

test("the owner's pause survives a restart, the guard's own does not, and neither touches an open swap", () => {
  const { store } = openStore();
  const first = runtimeOn(store);
  const id = open(first, lightningRow(locked));
  first.guard.pause('holiday');
  first.guard.raise('store', 'no room');
  const second = runtimeOn(store);
  second.workingSet.load(() => undefined);
  const moved = second.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
  const after = second.guard.paused();
  second.guard.resume();
  expect({ moved, after, resumed: second.guard.paused(), saved: runtimeOn(store).guard.paused() }).toEqual({
    moved: 'moved',
    after: { by: 'owner', reason: 'holiday', since: unix(start) },
    resumed: null,
    saved: null,
  });
});

test('a commit that fails at its very end is forgotten in memory too', async () => {
  const { store } = openStore();
  let fails = false;
  const failing: typeof store = {
    ...store,
    atomically: (work) =>
      store.atomically(() => {
        const result = work();
        if (fails) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
        return result;
      }),
  };
  const runtime = runtimeOn(failing);
  const id = open(runtime, lightningRow(locked));
  fails = true;
  runtime.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
  expect({ memory: runtime.workingSet.find(id)?.row.progress.at, disk: store.swaps.byId(id)?.progress.at }).toEqual({
    memory: 'locked',
    disk: 'locked',
  });
  await runtime.stop();
});
