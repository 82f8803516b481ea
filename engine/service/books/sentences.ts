import type { Asset } from '../../domain/money.ts';
import type { Verdict } from './coins.ts';

/** In sats with their fraction, or in the smallest unit of a token. */
function amountText({ asset }: Asset, amount: bigint): string {
  if (asset !== 'btc') return `${amount} of the smallest unit of ${asset}`;
  const [sats, rest] = [amount / 1_000n, amount % 1_000n];
  if (rest === 0n) return sats === 1n ? '1 sat' : `${sats} sats`;
  return `${sats}.${String(rest).padStart(3, '0')} sats`;
}

/** What the owner is told of a difference that stands. */
export function differs(of: Asset, { seen, difference }: Pick<Verdict, 'seen' | 'difference'>): string {
  const by = difference < 0n ? -difference : difference;
  return (
    `The books and ${of.network} do not agree: the account wallet has ${amountText(of, seen - difference)}, the ` +
    `network ${amountText(of, seen)}, which is ${amountText(of, by)} ${difference < 0n ? 'less' : 'more'}. New swaps ` +
    `over ${of.network} wait, the open ones go on: find out what moved it, or write the difference off.`
  );
}
