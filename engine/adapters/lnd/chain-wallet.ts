import { noSats, sats, type Sats } from '../../domain/money.ts';
import { lightningFailure } from '../../legs/lightning/failures.ts';
import type { ChainTransaction, ChainWallet } from '../../legs/lightning/port.ts';
import { type Lnd, timed, unary } from './rpc.ts';
import type { Transaction } from './transaction.ts';
import { addUncounted, broughtBy, ourInputs, spentBy, type Uncounted, unknownInputs } from './uncounted.ts';

/** lnd's WalletBalanceResponse, as far as it is used here. The reserve for anchors is part of the total. */
export interface WalletBalance {
  /** Without leased coins, with those that are in no block. */
  readonly total_balance: string;
  readonly locked_balance: string;
}

/** Readings of one look, for one between whose begin and end nothing moved. */
const readings = 3;

/** Reads the wallet of a node; remembers the outputs that its balance leaves out, for what spends them later. */
export function createChainWallet(node: Lnd): (from: number) => Promise<ChainWallet> {
  const uncounted: Uncounted = new Map();

  async function listed(from: number): Promise<readonly Transaction[]> {
    const transactions = await transactionsOf(node, from);
    addUncounted(uncounted, transactions);
    const older = transactions.flatMap((one) => unknownInputs(one, uncounted));
    if (older.length > 0) {
      for (const place of older) uncounted.set(place, 0n);
      addUncounted(uncounted, await transactionsOf(node, 0));
    }
    return transactions;
  }

  return async (from) => {
    let before = await balanceOf(node);
    for (let i = 0; i < readings; i++) {
      const transactions = await listed(from);
      const after = await balanceOf(node);
      if (before.total_balance === after.total_balance && before.locked_balance === after.locked_balance)
        return chainWalletOf(after, transactions, uncounted);
      before = after;
    }
    throw lightningFailure('lightning-unclear', 'safe', 'Its wallet on the chain moves all the time.');
  };
}

function balanceOf(node: Lnd): Promise<WalletBalance> {
  return timed(node, 'tell the balance of its wallet', 'safe', () =>
    unary<WalletBalance>(node, (options, done) => node.lnd.default.walletBalance({}, options, done)),
  );
}

async function transactionsOf(node: Lnd, from: number): Promise<readonly Transaction[]> {
  const request = { start_height: from, end_height: -1 };
  const { transactions } = await timed(node, 'list the transactions of its wallet', 'safe', () =>
    unary<{ transactions: readonly Transaction[] }>(node, (options, done) =>
      node.lnd.default.getTransactions(request, options, done),
    ),
  );
  return transactions;
}

export function chainWalletOf(
  { total_balance: total, locked_balance: leased }: WalletBalance,
  transactions: readonly Transaction[],
  uncounted: Uncounted,
): ChainWallet {
  const waiting = transactions.filter(({ block_height: height }) => height === 0);
  return {
    ours: sats(BigInt(total) + BigInt(leased)),
    doubt: sats(
      (waiting.some((one) => spentBy(one, uncounted) > 0n) ? BigInt(leased) : 0n) + replacedIn(waiting, uncounted),
    ),
    transactions: transactions.filter((one) => !isImmature(one)).map((one) => transactionOf(one, uncounted)),
  };
}

function transactionOf(one: Transaction, uncounted: Uncounted): ChainTransaction {
  return {
    txid: one.tx_hash,
    amount: broughtBy(one, uncounted),
    fee: sats(BigInt(one.total_fees)),
    label: one.label,
    height: one.block_height === 0 ? null : one.block_height,
  };
}

/** All that transactions take which share a coin of ours: one of them replaces the other, and both are listed. */
function replacedIn(waiting: readonly Transaction[], uncounted: Uncounted): Sats {
  const spenders = new Map<string, number>();
  for (const outpoint of waiting.flatMap(ourInputs)) spenders.set(outpoint, (spenders.get(outpoint) ?? 0) + 1);
  return waiting
    .filter((one) => ourInputs(one).some((outpoint) => (spenders.get(outpoint) ?? 0) > 1))
    .reduce((sum, one) => sats(sum + spentBy(one, uncounted)), noSats);
}

/** Confirmations after which what a block brought its miner may be spent, and is in the balance. */
const maturity = 100;
const noOutpoint = /^0{64}:/;

function isImmature({ previous_outpoints: inputs, num_confirmations: confirmations }: Transaction): boolean {
  return confirmations < maturity && inputs.some(({ outpoint }) => noOutpoint.test(outpoint));
}
