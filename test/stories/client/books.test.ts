import { expect, test } from 'vitest';
import { booksApart, differencesIn } from './books.ts';

const account = (balance: string, network = 'lightning') => ({ network, asset: 'btc', account: 'wallet', balance });
const wallet = (difference: string | null) => ({
  ...{ network: 'arkade', asset: 'btc', account: 'wallet', difference },
  unknown: difference === null ? 'the books begin once it is read again' : null,
});

test('accounts that come to zero and wallets without a difference are as the networks say', () => {
  const accounts = [account('1.250'), account('-2'), account('0.75'), account('-5', 'arkade'), account('5', 'arkade')];
  expect(differencesIn({ accounts, wallets: [wallet('0'), wallet(null)] })).toEqual([]);
});

test('a millisatoshi too much in the accounts, or between a wallet and its network, is named', () => {
  const accounts = [account('1.001'), account('-1')];
  expect(differencesIn({ accounts, wallets: [wallet('-0.001')] })).toEqual([
    'arkade btc by -0.001',
    'the accounts of lightning btc come to 1/1000',
  ]);
});

test('a wallet that nobody compares yet is waited for, and is named where nobody ever does', async () => {
  let looks = 0;
  const judged = (from: number) => async () => ({ accounts: [], wallets: [wallet(++looks > from ? '0' : null)] });
  expect([await booksApart(judged(2)), looks]).toEqual([[], 3]);
  expect(await booksApart(judged(Number.POSITIVE_INFINITY), 300)).toEqual([
    'arkade btc wallet was never compared (the books begin once it is read again)',
  ]);
  const never = { account: 'wallet', difference: null };
  const asleep = { network: 'evm:30', asset: '0x0', ...never, unknown: 'no RPC answers' };
  const unset = { network: 'lightning', asset: 'btc', ...never, unknown: 'the Lightning node does not answer' };
  expect(await booksApart(async () => ({ accounts: [], wallets: [asleep, unset] }), 300)).toEqual([]);
  const begun = [account('5', 'evm:30'), account('-5', 'evm:30')].map((one) => ({ ...one, asset: '0x0' }));
  expect(await booksApart(async () => ({ accounts: begun, wallets: [asleep] }), 300)).toEqual([
    'evm:30 0x0 wallet was never compared (no RPC answers)',
  ]);
});
