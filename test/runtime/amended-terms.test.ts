import { expect, test } from 'vitest';
import { btc, sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { Entry } from '../../engine/runtime/working-set.ts';
import { arkadeBitcoin, type ArkadeBitcoinProgress } from '../../engine/swap/directions/arkade-bitcoin.ts';
import { arkadeBitcoinTerms } from '../swap/arkade-bitcoin-cases.ts';
import { coinPoint } from '../swap/cases.ts';
import { openStore, swapRow } from '../store/support.ts';
import { open, runtimeOn } from './support.ts';

/* The terms of a swap change with its state, in one commit, or neither does. */

const extras = [{ outpoint: coinPoint, amount: sats(60_000n), spent: false }];
const short = { at: 'stopped', why: 'invalid', reason: 'short', fenced: false, extras } as const;
const terms = {
  ...arkadeBitcoinTerms,
  sourceAmount: sats(60_000n),
  targetAmount: sats(59_000n),
  amended: true,
} as const;
const amended = { terms, valueSats: terms.targetAmount };
const money = btc('bitcoin', sats(60_000n));

function scene(progress: ArkadeBitcoinProgress) {
  const { store } = openStore();
  const runtime = runtimeOn(store);
  const id = open(
    runtime,
    swapRow({
      ...{ machine: 'arkade-bitcoin', terms: arkadeBitcoinTerms, progress, valueSats: 70_000n },
      status: arkadeBitcoin.status(progress),
      createdAt: unix(1_759_990_000),
    }),
  );
  const news: Entry[] = [];
  runtime.commits.onCommit(({ entry }) => news.push(entry));
  const amend = () =>
    runtime.commits.deliver(
      id,
      { is: 'terms.amended' },
      { amended, ifMoved: ({ reservations }) => reservations.hold(id, money) },
    );
  return { store, runtime, id, news, amend };
}

test('terms, value, state and what is promised are saved together, and told to whoever keeps them', () => {
  const { store, runtime, id, news, amend } = scene(short);
  expect(amend()).toBe('moved');
  const row = store.swaps.byId(id);
  expect(row).toMatchObject({ valueSats: 59_000n, status: 'pending', version: 1, progress: { at: 'pending' } });
  expect(row?.terms).toEqual(terms);
  expect(runtime.workingSet.find(id)?.row.terms).toEqual(terms);
  expect(news.map((entry) => entry.row.terms)).toEqual([terms]);
  expect(store.reservations.total(money)).toBe(money.amount);
  expect(store.swaps.head(id)).toMatchObject({ valueSats: 59_000n });
  // A second time there is nothing that waits for it.
  expect(amend()).toBe('stayed');
  expect(store.reservations.total(money)).toBe(money.amount);
});

test('where the machine stays so do the terms', () => {
  const { store, id, news, amend } = scene({ ...short, fenced: true });
  expect(amend()).toBe('stayed');
  expect([store.swaps.byId(id)?.terms, store.swaps.byId(id)?.valueSats, news]).toEqual([
    arkadeBitcoinTerms,
    70_000n,
    [],
  ]);
  expect(store.reservations.total(money)).toBe(0n);
});

test('where the disk fails nothing is agreed to, then or later', async () => {
  const { store, runtime, id, news, amend } = scene(short);
  const { update } = store.swaps;
  store.swaps.update = () => {
    throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  };
  expect(amend).toThrow('the disk is full');
  store.swaps.update = update;
  expect([store.swaps.byId(id)?.terms, runtime.workingSet.find(id)?.row.terms, news]).toEqual([
    arkadeBitcoinTerms,
    arkadeBitcoinTerms,
    [],
  ]);
  await runtime.stop();
});

test('one that moved since it was read is not amended', () => {
  const { store, id } = scene(short);
  const row = store.swaps.byId(id);
  if (row === null) return expect.fail('there is none');
  expect(() => store.swaps.amend({ ...row, ...amended, version: row.version + 1 }, 1)).toThrow(/not at version/);
});

test('fault 154: what is agreed to later counts from then on, not from the create', () => {
  const { store, runtime, id, amend } = scene(short);
  const { createdAt } = store.swaps.byId(id)!;
  const now = runtime.clock.now().wall;
  expect(now).toBeGreaterThan(createdAt);
  const since = (moment: number) => store.swaps.valueSince(moment, ['arkade-bitcoin']);
  expect(since(now - 1)).toBe(0n);
  amend();
  expect([since(createdAt - 1), since(now - 1), since(now)]).toEqual([59_000n, 59_000n, 0n]);
});
