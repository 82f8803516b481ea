import { expect, test } from 'vitest';
import { differencesIn } from './books.ts';

const account = (balance: string, network = 'lightning') => ({ network, asset: 'btc', balance });
const wallet = (difference: string | null) => ({ network: 'arkade', asset: 'btc', difference });

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
