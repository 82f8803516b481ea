import { expect, test } from 'vitest';
import { chainWalletOf, type Transaction } from '../../../engine/adapters/lnd/chain-wallet.ts';

const balance = (total: bigint, leased = 0n) => ({ total_balance: String(total), locked_balance: String(leased) });

/** What a transaction takes of our coins, and gives back to us of it. */
function spending(
  txid: string,
  { coins, back, of }: { coins: readonly string[]; back: bigint; of: bigint },
): Transaction {
  return {
    tx_hash: txid,
    amount: String(back - of),
    total_fees: '154',
    block_height: 0,
    num_confirmations: 0,
    label: '0:openchannel:shortchanid-1',
    previous_outpoints: [
      ...coins.map((outpoint) => ({ outpoint, is_our_output: true })),
      { outpoint: 'of others:0', is_our_output: false },
    ],
    output_details: [
      { amount: String(back), is_our_address: true },
      { amount: '9000', is_our_address: false },
    ],
  };
}

const opening = spending('a', { coins: ['x:0'], back: 400n, of: 1_000n });
const mined: Transaction = { ...opening, block_height: 7, num_confirmations: 2 };

test('leased coins are ours, and a transaction says what it brought', () => {
  expect(chainWalletOf(balance(5_000n, 600n), [mined])).toEqual({
    ours: 5_600n,
    doubt: 0n,
    transactions: [{ txid: 'a', amount: -600n, fee: 154n, label: '0:openchannel:shortchanid-1', height: 7 }],
  });
});

test('what is leased may be spent already while a transaction that takes coins of ours waits for a block', () => {
  expect(chainWalletOf(balance(5_000n, 1_000n), [opening])).toMatchObject({ ours: 6_000n, doubt: 1_000n });
  const came = { ...opening, previous_outpoints: [{ outpoint: 'of others:0', is_our_output: false }] };
  expect(chainWalletOf(balance(5_000n, 1_000n), [came])).toMatchObject({ doubt: 0n });
});

test('transactions that take the same coin are listed until one of them is in a block', () => {
  const raised = spending('b', { coins: ['x:0', 'y:0'], back: 700n, of: 1_500n });
  const other = spending('c', { coins: ['z:0'], back: 1n, of: 2n });
  expect(chainWalletOf(balance(5_000n), [opening, raised, other])).toMatchObject({ doubt: 2_500n });
  expect(chainWalletOf(balance(5_000n), [opening, other])).toMatchObject({ doubt: 0n });
});

test('what a block brought its miner counts once it may be spent', () => {
  const coinbase = {
    ...mined,
    previous_outpoints: [{ outpoint: `${'0'.repeat(64)}:4294967295`, is_our_output: false }],
  };
  const listed = (confirmations: number) =>
    chainWalletOf(balance(0n), [{ ...coinbase, num_confirmations: confirmations }]).transactions.length;
  expect([listed(99), listed(100)]).toEqual([0, 1]);
});
