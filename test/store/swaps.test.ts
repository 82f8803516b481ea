import { describe, expect, test, vi } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { swapsTable } from '../../engine/store/swaps.ts';
import { openStore, swapRow } from './support.ts';

test('a swap reads back as it was saved', () => {
  const { store } = openStore();
  store.swaps.insert(swapRow());
  expect({
    row: store.swaps.byId(swapRow().id),
    status: store.swaps.statusOf(swapRow().id),
    none: store.swaps.byId('none'),
    unknown: store.swaps.statusOf('none'),
  }).toEqual({
    row: swapRow(),
    status: 'pending',
    none: null,
    unknown: null,
  });
});

test('of two who read the same version only the first may save', () => {
  const { store } = openStore();
  store.swaps.insert(swapRow());
  const read = store.swaps.byId(swapRow().id) ?? swapRow();
  const saved = store.swaps.update({ ...read, status: 'clientfunded', progress: { at: 'funded' } });
  expect(saved.version).toBe(1);
  expect(() => store.swaps.update({ ...read, status: 'expired', progress: { at: 'lapsed' } })).toThrow(
    `swap ${read.id} is not at version 0 any more`,
  );
  expect(store.swaps.byId(read.id)).toEqual(saved);
});

test('terms are frozen: saving progress does not touch them', () => {
  const { store } = openStore();
  store.swaps.insert(swapRow());
  store.swaps.update({ ...swapRow(), terms: { amount: 1n } });
  expect(store.swaps.byId(swapRow().id)?.terms).toEqual(swapRow().terms);
});

test('a save that fails half way leaves nothing behind', () => {
  const { store } = openStore();
  expect(() =>
    store.atomically(() => {
      store.swaps.insert(swapRow());
      store.effects.insert(swapRow().id, { do: 'hold.settle', hash: new Uint8Array(32) as never }, 0);
      throw new Error('power cut');
    }),
  ).toThrow('power cut');
  expect({ swap: store.swaps.byId(swapRow().id), effects: store.effects.waiting() }).toEqual({
    swap: null,
    effects: [],
  });
});

/** How each statement of the table that goes by open swaps is carried out. */
function plansOfOpen(): Record<string, string[]> {
  const { db } = openStore();
  const prepare = vi.spyOn(db, 'prepare');
  swapsTable(db);
  const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /^SELECT .* WHERE open = 1/.test(sql));
  const plan = (sql: string) => db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
  return Object.fromEntries(statements.map((sql) => [sql, plan(sql).map(({ detail }) => detail)]));
}

describe('the working set', () => {
  test('is found by its own index, however long the history', () => {
    expect(Object.values(plansOfOpen())).toEqual([
      [expect.stringMatching(/USING INDEX swaps_open/)],
      [expect.stringMatching(/USING COVERING INDEX swaps_open/)],
      [expect.stringMatching(/USING COVERING INDEX swaps_open/)],
    ]);
  });

  test('is counted from its index alone, in the order of the index: no row is read for it', () => {
    const [counts] = Object.entries(plansOfOpen()).filter(([sql]) => sql.includes('count(*)'));
    expect(counts?.[1]).toEqual(['SCAN swaps USING COVERING INDEX swaps_open']);
  });

  test('is counted by machine and status', () => {
    const { store } = openStore();
    store.swaps.insert(swapRow({ id: 'a' }));
    store.swaps.insert(swapRow({ id: 'b' }));
    store.swaps.insert(swapRow({ id: 'c', status: 'clientfunded' }));
    store.swaps.insert(swapRow({ id: 'd', open: false, status: 'expired' }));
    const { machine } = swapRow();
    expect(store.swaps.openCounts()).toEqual([
      { machine, status: 'clientfunded', count: 1 },
      { machine, status: 'pending', count: 2 },
    ]);
  });

  test('holds the open swaps alone', () => {
    const { store } = openStore();
    store.swaps.insert(swapRow({ id: 'open' }));
    store.swaps.insert(swapRow({ id: 'ended', open: false, status: 'expired' }));
    expect(store.swaps.openIds()).toEqual(['open']);
  });
});

describe('the list of the owner', () => {
  function history() {
    const { store } = openStore();
    for (let i = 0; i < 7; i++) {
      store.swaps.insert(
        swapRow({
          id: `b${i}`,
          createdAt: unix(100 + Math.floor(i / 2)),
          open: i < 2,
          machine: i % 2 === 0 ? 'lightning-arkade' : 'arkade-lightning',
          status: i < 2 ? 'pending' : 'expired',
          userId: i === 3 ? 'wallet-3' : null,
        }),
      );
    }
    return store.swaps;
  }
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

  test('comes newest first, page after page, none twice and none left out', () => {
    const swaps = history();
    const pages: string[][] = [];
    let before: { createdAt: number; id: string } | undefined;
    for (;;) {
      const page = swaps.page({ limit: 3, ...(before === undefined ? {} : { before }) });
      if (page.length === 0) break;
      pages.push(ids(page));
      before = page.at(-1);
    }
    expect(pages).toEqual([['b6', 'b5', 'b4'], ['b3', 'b2', 'b1'], ['b0']]);
  });

  test('is filtered by direction, status, openness, and a part of an id or a user', () => {
    const swaps = history();
    expect([
      ids(swaps.page({ limit: 9, machine: 'arkade-lightning' })),
      ids(swaps.page({ limit: 9, status: 'pending' })),
      ids(swaps.page({ limit: 9, open: false, machine: 'lightning-arkade' })),
      ids(swaps.page({ limit: 9, q: 'b5' })),
      ids(swaps.page({ limit: 9, q: '4', also: swaps.ofUser('wallet-3') })),
      ids(swaps.page({ limit: 9, q: "' OR 1 = 1 --" })),
    ]).toEqual([['b5', 'b3', 'b1'], ['b1', 'b0'], ['b6', 'b4', 'b2'], ['b5'], ['b4', 'b3'], []]);
  });

  test("finds a wallet's swaps by its user id", () => {
    expect(history().byUser('wallet-3', 10)).toEqual(['b3']);
  });
});
