import type { Money } from '../../domain/money.ts';

/** Bitcoin is kept in millisatoshis, as routing fees are; shown in satoshis with its fraction. A token as it is. */
export function unitsText({ asset, amount }: Pick<Money, 'asset' | 'amount'>): string {
  if (asset !== 'btc') return amount.toString();
  const sign = amount < 0n ? '-' : '';
  const value = amount < 0n ? -amount : amount;
  const rest = value % 1_000n;
  return `${sign}${value / 1_000n}${rest === 0n ? '' : `.${rest.toString().padStart(3, '0')}`}`;
}
