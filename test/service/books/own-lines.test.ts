import { expect, test, vi } from 'vitest';
import { btcOn } from '../../../engine/domain/money.ts';
import { tornAccounts } from '../../../engine/service/books/own-lines.ts';
import { openStore } from '../../store/support.ts';

const arkade = btcOn('arkade');

/** Books of so many lines, and how many of them a look reads. */
function openBooks(count: number) {
  const { store } = openStore();
  const book = (lines: number) =>
    store.atomically(() => {
      for (let i = 0; i < lines; i++) store.ledger.write('one', 1, 'deposit', { ...arkade, amount: 3n });
    });
  const linesRead = vi.spyOn(store.ledger, 'linesAfter');
  book(count);
  return {
    store,
    book,
    async look() {
      linesRead.mockClear();
      const torn = await tornAccounts(store);
      return { torn, read: linesRead.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0) };
    },
  };
}

test('a look reads what was booked since the accounts were level, whatever came before', async () => {
  const books = openBooks(5_000);
  expect([await books.look(), await books.look()]).toEqual([
    { torn: [], read: 5_000 },
    { torn: [], read: 0 },
  ]);
  books.book(7);
  expect(await books.look()).toEqual({ torn: [], read: 7 });
});

test('an account is missed by a unit behind lines that are not read again', async () => {
  const books = openBooks(5_000);
  await books.look();
  books.store.ledger.mend(1, arkade, 'owner', -14_999n, 'planted');
  expect((await books.look()).torn).toEqual([{ of: arkade, account: 'owner', lines: -15_000n, balance: -14_999n }]);
});

test('a note by which an asset does not come to zero counts for nothing: all lines are read', async () => {
  const books = openBooks(600);
  await books.look();
  const sums = { 'arkade btc owner': -1_800n, 'arkade btc wallet': 1_801n };
  books.store.settings.put('books-level', { upTo: 600, sums });
  books.store.ledger.mend(1, arkade, 'wallet', 1_801n, 'planted');
  expect(await books.look()).toEqual({
    torn: [{ of: arkade, account: 'wallet', lines: 1_800n, balance: 1_801n }],
    read: 601,
  });
});
