import { noSats, sats, type Sats } from '../../domain/money.ts';
import { lightningFailure } from '../../legs/lightning/failures.ts';
import type { ChainTransaction, ChainWallet } from '../../legs/lightning/port.ts';
import { type Lnd, timed, unary } from './rpc.ts';

/** lnd's WalletBalanceResponse, as far as it is used here. The reserve for anchors is part of the total. */
export interface WalletBalance {
  /** Without leased coins, with those that are in no block. */
  readonly total_balance: string;
  readonly locked_balance: string;
}

/** lnd's Transaction message, in the same way. */
export interface Transaction {
  readonly tx_hash: string;
  readonly amount: string;
  readonly total_fees: string;
  readonly block_height: number;
  readonly num_confirmations: number;
  readonly label: string;
  readonly previous_outpoints: readonly { readonly outpoint: string; readonly is_our_output: boolean }[];
  readonly output_details: readonly { readonly amount: string; readonly is_our_address: boolean }[];
}

/** Readings of one look, for one between whose begin and end nothing moved. */
const readings = 3;

export async function chainWallet(node: Lnd, from: number): Promise<ChainWallet> {
  let before = await balanceOf(node);
  for (let i = 0; i < readings; i++) {
    const transactions = await transactionsOf(node, from);
    const after = await balanceOf(node);
    if (before.total_balance === after.total_balance && before.locked_balance === after.locked_balance)
      return chainWalletOf(after, transactions);
    before = after;
  }
  throw lightningFailure('lightning-unclear', 'safe', 'Its wallet on the chain moves all the time.');
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
): ChainWallet {
  const waiting = transactions.filter(({ block_height: height }) => height === 0);
  return {
    ours: sats(BigInt(total) + BigInt(leased)),
    doubt: sats((waiting.some(spendsOurs) ? BigInt(leased) : 0n) + replacedIn(waiting)),
    transactions: transactions.filter((one) => !isImmature(one)).map(transactionOf),
  };
}

function transactionOf(one: Transaction): ChainTransaction {
  return {
    txid: one.tx_hash,
    amount: BigInt(one.amount),
    fee: sats(BigInt(one.total_fees)),
    label: one.label,
    height: one.block_height === 0 ? null : one.block_height,
  };
}

const ourInputs = ({ previous_outpoints: inputs }: Transaction): readonly string[] =>
  inputs.filter(({ is_our_output: isOurs }) => isOurs).map(({ outpoint }) => outpoint);
const spendsOurs = (one: Transaction): boolean => ourInputs(one).length > 0;

/** All that transactions take which share a coin of ours: one of them replaces the other, and both are listed. */
function replacedIn(waiting: readonly Transaction[]): Sats {
  const spenders = new Map<string, number>();
  for (const outpoint of waiting.flatMap(ourInputs)) spenders.set(outpoint, (spenders.get(outpoint) ?? 0) + 1);
  return waiting
    .filter((one) => ourInputs(one).some((outpoint) => (spenders.get(outpoint) ?? 0) > 1))
    .reduce((sum, one) => sats(sum + spentBy(one)), noSats);
}

/** What comes back to us of a transaction, less what it brought in all. */
function spentBy({ amount, output_details: outputs }: Transaction): bigint {
  const back = outputs.filter(({ is_our_address: isOurs }) => isOurs);
  return back.reduce((sum, output) => sum + BigInt(output.amount), 0n) - BigInt(amount);
}

/** Confirmations after which what a block brought its miner may be spent, and is in the balance. */
const maturity = 100;
const noOutpoint = /^0{64}:/;

function isImmature({ previous_outpoints: inputs, num_confirmations: confirmations }: Transaction): boolean {
  return confirmations < maturity && inputs.some(({ outpoint }) => noOutpoint.test(outpoint));
}
