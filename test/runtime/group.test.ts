import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asHash160 } from '../../engine/domain/hash.ts';
import { btc, sats } from '../../engine/domain/money.ts';
import { createGroup } from '../../engine/runtime/group.ts';
import type { Runtime } from '../../engine/runtime/runtime.ts';
import { intentsCounter } from '../../engine/store/intents.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { createStore, type Store } from '../../engine/store/store.ts';
import { coin, coinPoint, spentBy, lightningArkadeTerms as t } from '../swap/cases.ts';
import { openStore } from '../store/support.ts';
import { lightningRow, open, runtimeOn } from './support.ts';

const invoice = { bolt11: 'lnbcrt1', invoiceExpiresAt: t.fundBefore };
const locked = { at: 'locked' as const, lock: coinPoint, ...invoice, expiryHeight: 1_000_000 };
const ids = [1, 2, 3].map((n) => `a0000000-0000-4000-8000-00000000000${n}`);

function begin(runtime: Runtime, id: string, byte: number, refuse = false): Promise<string> {
  return runtime.commits.together(() => {
    const { row } = runtime.commits.open(id, (store) => {
      if (!store.hashes.claim(asHash160(new Uint8Array(20).fill(byte)), id)) throw new Error('the hash is taken');
      store.reservations.hold(id, btc('arkade', sats(1_000)));
      return { row: lightningRow({ at: 'pending', ...invoice }, { id }), effects: [] };
    });
    if (refuse) throw new Error('refused after all');
    return row.id;
  });
}

test('swaps that are opened in one turn are on the disk together, before anybody hears of one', async () => {
  const { folder, store } = openStore();
  const runtime = runtimeOn(store);
  const other = new Database(join(folder, 'sluice.db'), { readonly: true });
  const onDisk = () => other.prepare<[], { id: string }>('SELECT id FROM swaps ORDER BY id').all().length;
  const counts: number[] = [];
  runtime.commits.onCommit(() => void counts.push(onDisk()));
  const answers = ids.map((id, i) => begin(runtime, id, i).then(() => onDisk()));
  expect(onDisk()).toBe(0);
  expect([await Promise.all(answers), counts]).toEqual([
    [3, 3, 3],
    [3, 3, 3],
  ]);
  other.close();
});

test('what one of them throws undoes that one alone, in the store, in memory and in what was promised', async () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const ended: string[] = [];
  runtime.commits.onCommit(({ entry }) => void ended.push(entry.row.id));
  const [first, second, third] = ids as [string, string, string];
  const results = await Promise.allSettled([
    begin(runtime, first, 1),
    begin(runtime, second, 2, true),
    begin(runtime, third, 1),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect({
    ended,
    inMemory: [...runtime.workingSet.all()].map(({ row }) => row.id),
    onDisk: ids.filter((id) => store.swaps.byId(id) !== null),
    promised: store.reservations.totals().get('arkade'),
    free: store.hashes.usedBy(asHash160(new Uint8Array(20).fill(2))),
  }).toEqual({ ended: [first], inMemory: [first], onDisk: [first], promised: 1_000n, free: null });
});

test('where the shared transaction fails nothing of it is kept, and each is done and fails alone', async () => {
  const { store } = openStore();
  let failures = 1;
  const failing: Store = {
    ...store,
    atomically(work) {
      const outermost = !inside;
      inside = true;
      try {
        return store.atomically(() => {
          const result = work();
          if (outermost && failures-- > 0) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
          return result;
        });
      } finally {
        if (outermost) inside = false;
      }
    },
  };
  let inside = false;
  const runtime = runtimeOn(failing);
  const moves: string[] = [];
  runtime.commits.onCommit(({ entry }) => void moves.push(`${entry.row.id.at(-1)} ${entry.row.progress.at}`));
  open(runtimeOn(store), lightningRow(locked, { id: ids[0] as string }));
  runtime.workingSet.load(() => undefined);
  const results = await Promise.all([
    runtime.commits.together(() =>
      runtime.commits.deliver(ids[0] as string, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] }),
    ),
    begin(runtime, ids[1] as string, 2),
  ]);
  expect({ results, moves, claims: store.effects.of(ids[0] as string).map(({ effect }) => effect.do) }).toEqual({
    results: ['moved', ids[1]],
    moves: ['1 claiming', '2 pending'],
    claims: ['hold.settle'],
  });
  await runtime.stop();
});

test('a transaction that cannot be written even alone rejects who asked, and memory holds nothing of it', async () => {
  const undone: string[] = [];
  const full = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
  const group = createGroup({
    atomically(work) {
      work();
      throw full;
    },
  });
  const after: string[] = [];
  const work = (id: string) => () => {
    if (!group.open) throw full;
    group.keep({ undo: () => void undone.push(id), tell: () => void after.push(id) });
  };
  const results = await Promise.allSettled([group.together(work('a')), group.together(work('b'))]);
  expect({ results: results.map(({ status }) => status), after, undone }).toEqual({
    results: ['rejected', 'rejected'],
    after: [],
    undone: ['a'],
  });
});

/** A store whose transactions fail at their end while it is broken, and that cannot be read then. */
function breaking(store: Store): { readonly broken: Store; isBroken: boolean } {
  const failure = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
  let depth = 0;
  const state = {
    isBroken: false,
    broken: {
      ...store,
      atomically(work) {
        depth += 1;
        try {
          return store.atomically(() => {
            const result = work();
            if (depth === 1 && state.isBroken) throw failure;
            return result;
          });
        } finally {
          depth -= 1;
        }
      },
      swaps: {
        ...store.swaps,
        byId(id) {
          if (state.isBroken) throw failure;
          return store.swaps.byId(id);
        },
      },
    } satisfies Store as Store,
  };
  return state;
}

test('fault 3: while the disk cannot even be read memory is as the disk was, and every swap still open', async () => {
  const { store } = openStore();
  const [first, second] = ids as [string, string];
  for (const id of [first, second]) open(runtimeOn(store), lightningRow(locked, { id }));
  const state = breaking(store);
  const runtime = runtimeOn(state.broken);
  runtime.workingSet.load(() => undefined);
  state.isBroken = true;
  await Promise.allSettled(
    [first, second].map((id) =>
      runtime.commits.together(() =>
        runtime.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] }),
      ),
    ),
  );
  expect([...runtime.workingSet.all()].map(({ row }) => [row.id, row.progress.at])).toEqual([
    [first, 'locked'],
    [second, 'locked'],
  ]);
  state.isBroken = false;
  await expect
    .poll(() => [first, second].map((id) => store.effects.of(id).map(({ effect }) => effect.do)), { timeout: 60_000 })
    .toEqual([['hold.settle'], ['hold.settle']]);
  await runtime.stop();
});

test('whoever fails on one of the moves of a transaction keeps nobody from hearing of the others', async () => {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const hearings: string[] = [];
  const alerts: (string | null)[] = [];
  runtime.onAlert(({ swap }) => void alerts.push(swap));
  const [first, second, third] = ids as [string, string, string];
  runtime.commits.onCommit(({ entry }) => {
    if (entry.row.id === first) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
    if (entry.row.id === second) throw new TypeError('a bug');
  });
  runtime.commits.onCommit(({ entry }) => void hearings.push(entry.row.id));
  const made = await Promise.all([begin(runtime, first, 1), begin(runtime, second, 2), begin(runtime, third, 3)]);
  expect({ made, hearings, alerts }).toEqual({ made: ids, hearings: ids, alerts: [second] });
});

test('fault 3: that an operator denies a coin is told though the first transaction that says so fails', async () => {
  const { store } = openStore();
  const [first, second] = ids as [string, string];
  const denied = { is: 'vhtlc.seen' as const, coins: [coin({ spent: true, spend: 'unknown' })] };
  const before = runtimeOn(store);
  open(before, lightningRow(locked, { id: first }));
  before.commits.deliver(first, denied);
  const state = breaking(store);
  const runtime = runtimeOn(state.broken);
  runtime.workingSet.load(() => undefined);
  const hearings: string[] = [];
  runtime.commits.onCommit(({ entry, distrusted }) => {
    if (distrusted) hearings.push(entry.row.id);
  });
  state.isBroken = true;
  const both = [
    runtime.commits.together(() => runtime.commits.deliver(first, denied)),
    begin(runtime, second, 2).finally(() => (state.isBroken = false)),
  ];
  await Promise.allSettled(both);
  expect(hearings).toEqual([first]);
  await runtime.stop();
});

test('fault 3: that nothing new is begun with an operator is saved once there is room, for the next start', async () => {
  const { store } = openStore();
  let isFull = false;
  const settings: Store['settings'] = {
    ...store.settings,
    put(key, value) {
      if (isFull) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
      store.settings.put(key, value);
    },
  };
  const runtime = runtimeOn({ ...store, settings });
  const id = open(runtime, lightningRow(locked));
  isFull = true;
  runtime.commits.deliver(id, { is: 'vhtlc.seen', coins: [coin({ spent: true, spend: 'unknown' })] });
  expect([runtime.guard.paused()?.by, runtimeOn(store).guard.paused()]).toEqual(['guard', null]);
  isFull = false;
  await expect.poll(() => runtimeOn(store).guard.paused()?.by, { timeout: 60_000 }).toBe('guard');
  await runtime.stop();
});

test('fault 5: the mark beside the database follows a note on the disk, and none that was undone', () => {
  const { db } = openStore();
  const marked: [number, boolean][] = [];
  const store = createStore(
    db,
    createSealer(new Uint8Array(32)),
    (index) => void marked.push([index, db.inTransaction]),
  );
  const note = (id: string) => store.intents.note('invoice', id, asHash160(new Uint8Array(20)));
  const undone = (): void =>
    store.atomically(() => {
      note('a');
      throw new Error('undone');
    });
  expect(undone).toThrow('undone');
  store.atomically(() => {
    expect(undone).toThrow('undone');
    note('b');
    expect(marked).toEqual([]);
  });
  expect([marked, store.counters.peek(intentsCounter)]).toEqual([[[0, false]], 1]);
});
