import type { Asset } from '../../domain/money.ts';
import type { Verdict } from './coins.ts';
import type { Torn } from './own-lines.ts';
import type { WalletBook } from './wallet-book.ts';

/** In sats with their fraction, or in the smallest unit of a token. */
function amountText({ asset }: Asset, amount: bigint): string {
  if (asset !== 'btc') return `${amount} of the smallest unit of ${asset}`;
  const [sats, rest] = [amount / 1_000n, amount % 1_000n];
  if (rest === 0n) return sats === 1n ? '1 sat' : `${sats} sats`;
  return `${sats}.${String(rest).padStart(3, '0')} sats`;
}

/** What the owner is told of a difference that stands. */
export function differs(
  { of, account }: Pick<WalletBook, 'of' | 'account'>,
  { seen, difference }: Pick<Verdict, 'seen' | 'difference'>,
): string {
  const by = difference < 0n ? -difference : difference;
  return (
    `The books and ${of.network} do not agree: the account ${account} has ${amountText(of, seen - difference)}, the ` +
    `network ${amountText(of, seen)}, which is ${amountText(of, by)} ${difference < 0n ? 'less' : 'more'}. New swaps ` +
    `over ${of.network} wait, the open ones go on: find the cause, or write the difference off.`
  );
}

/** Whether a sentence tells of a difference in this account; those of one network differ in name or in asset. */
export function tellsOf(sentence: string, { of, account }: Pick<WalletBook, 'of' | 'account'>): boolean {
  const unit = of.asset === 'btc' ? '' : `of the smallest unit of ${of.asset},`;
  return (
    sentence.startsWith(`The books and ${of.network} do not agree: the account ${account} has `) &&
    sentence.includes(unit)
  );
}

/** What the owner is told of an account that has something else than its own lines. */
export function tears({ of, account, lines, balance }: Torn): string {
  const by = balance < lines ? lines - balance : balance - lines;
  return (
    `The books of ${of.network} do not agree with themselves: the account ${account} has ${amountText(of, by)} ` +
    `${balance < lines ? 'less' : 'more'} than its lines come to. New swaps over ${of.network} wait, the open ones ` +
    'go on: find out what altered the database, or write the difference off.'
  );
}
