import { describe, expect, test } from 'vitest';
import {
  chainWalletOf as walletOf,
  createChainWallet,
  type WalletBalance,
} from '../../../engine/adapters/lnd/chain-wallet.ts';
import type { Lnd } from '../../../engine/adapters/lnd/rpc.ts';
import type { Transaction } from '../../../engine/adapters/lnd/transaction.ts';
import { addUncounted } from '../../../engine/adapters/lnd/uncounted.ts';
import { toHex } from '../../../engine/domain/hex.ts';

/** lnd's lists say all that there is to know. */
function chainWalletOf(now: WalletBalance, transactions: readonly Transaction[], older: readonly Transaction[] = []) {
  const uncounted = new Map<string, bigint>();
  addUncounted(uncounted, [...older, ...transactions]);
  return walletOf(now, transactions, uncounted);
}

const output = (amount: bigint, index: number, type: string, isOurs = true) => ({
  output_type: `SCRIPT_TYPE_${type}`,
  output_index: String(index),
  amount: String(amount),
  is_our_address: isOurs,
});

/** A transaction of bare bytes: each input has a witness, or none. */
function rawOf(inputs: readonly { readonly txid: string; readonly vout: number; readonly witness: boolean }[]): string {
  const places = inputs.map(
    ({ txid, vout }) => `${txid.match(/../g)!.reverse().join('')}${toHex(Uint8Array.of(vout, 0, 0, 0))}00ffffffff`,
  );
  const witnesses = inputs.map(({ witness }) => (witness ? '0101aa' : '00')).join('');
  return `020000000001${toHex(Uint8Array.of(inputs.length))}${places.join('')}00${witnesses}00000000`;
}

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
    raw_tx_hex: '',
    previous_outpoints: [
      ...coins.map((outpoint) => ({ outpoint, is_our_output: true })),
      { outpoint: 'of others:0', is_our_output: false },
    ],
    output_details: [output(back, 0, 'WITNESS_V1_TAPROOT'), output(9_000n, 1, 'WITNESS_V0_SCRIPT_HASH', false)],
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
  const came = { ...opening, amount: '400', previous_outpoints: [{ outpoint: 'of others:0', is_our_output: false }] };
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

describe('what lnd lists and its balance does not count', () => {
  const others = { outpoint: `${'0f'.repeat(32)}:0`, is_our_output: false };
  const [twins, plain] = ['01'.repeat(32), '02'.repeat(32)];
  const noCounted = ['PUBKEY_HASH', 'WITNESS_V0_SCRIPT_HASH', 'PUBKEY', 'MULTISIG', 'WITNESS_UNKNOWN', 'NON_STANDARD'];
  /** Somebody pays an address, and the same key or hash in other forms. */
  const came: Transaction = {
    ...mined,
    tx_hash: twins,
    amount: String(330n + 300n + 70n + 1_000n),
    total_fees: '0',
    label: '',
    previous_outpoints: [others],
    output_details: [
      output(330n, 0, 'WITNESS_V0_PUBKEY_HASH'),
      output(300n, 1, 'PUBKEY_HASH'),
      output(70n, 2, 'SCRIPT_HASH'),
      output(1_000n, 3, 'PUBKEY_HASH'),
    ],
  };
  const amounts = (listed: readonly Transaction[], older: readonly Transaction[] = []) =>
    chainWalletOf(balance(0n), listed, older).transactions.map(({ amount }) => amount);

  /** Takes coins of `twins`, and of ours that are counted, which a witness spends. */
  function taking(vouts: readonly number[], amount: bigint, counted: readonly number[] = []): Transaction {
    const inputs = [
      ...vouts.map((vout) => ({ txid: twins, vout, witness: false })),
      ...counted.map((vout) => ({ txid: plain, vout, witness: true })),
    ];
    return {
      ...mined,
      tx_hash: '03'.repeat(32),
      amount: String(amount),
      raw_tx_hex: rawOf(inputs),
      previous_outpoints: inputs.map(({ txid, vout }) => ({ outpoint: `${txid}:${vout}`, is_our_output: true })),
      output_details: [output(200n, 0, 'WITNESS_V1_TAPROOT'), output(40n, 1, 'PUBKEY_HASH')],
    };
  }

  test('brings nothing to it', () => {
    expect(amounts([came])).toEqual([400n]);
    for (const type of noCounted)
      expect(amounts([{ ...came, amount: '335', output_details: [output(335n, 0, type)] }])).toEqual([0n]);
  });

  test('takes nothing from it when lnd spends it, alone or with others', () => {
    // 1 300 of the uncounted, and of them 240 come back.
    expect(amounts([taking([1, 3], 240n - 1_300n)])).toEqual([200n]);
    const mixed = taking([1], 240n - 300n - 5_000n, [0]);
    expect(amounts([came, mixed])).toEqual([400n, 200n - 5_000n]);
    expect(amounts([mixed], [came])).toEqual([200n - 5_000n]);
    expect(amounts([taking([], 240n - 5_000n, [0])])).toEqual([200n - 5_000n]);
  });

  test('is looked for in the whole history once, where lnd spends one from before the list', async () => {
    const froms: number[] = [];
    const mixed = taking([1], 240n - 300n - 5_000n, [0]);
    const calls = {
      walletBalance: (_: unknown, __: unknown, done: (error: null, row: WalletBalance) => void) =>
        done(null, balance(1_000n)),
      getTransactions(request: { start_height: number }, _: unknown, done: (error: null, row: unknown) => void) {
        froms.push(request.start_height);
        done(null, { transactions: request.start_height === 0 ? [came, mixed] : [mixed] });
      },
    };
    const node = { lnd: { default: calls }, limit: 1_000, noteAnswer: () => undefined } as unknown as Lnd;
    const read = createChainWallet(node);
    for (let look = 0; look < 2; look++)
      expect((await read(7)).transactions).toMatchObject([{ amount: 200n - 5_000n }]);
    expect(froms).toEqual([7, 0, 7]);
  });

  test('is no part of what may be spent twice', () => {
    const one: Transaction = { ...taking([1], 240n - 300n - 5_000n, [0]), block_height: 0 };
    const other: Transaction = { ...taking([], 240n - 5_000n, [0]), block_height: 0, tx_hash: '04'.repeat(32) };
    expect(chainWalletOf(balance(0n), [one, other], [came])).toMatchObject({ doubt: 10_000n });
  });
});
