import type { Display } from '../../engine/contract/owner/display.ts';

const satsPerBitcoin = 1e8;

/** `12.34 USD` for so many sats. To look at: no amount is ever made of it. */
export function fiatText(sats: string, { price, currency }: NonNullable<Display['fiat']>): string {
  return moneyText((Number(sats) / satsPerBitcoin) * price, currency);
}

/** In digits as amounts are written everywhere on the page. */
export function moneyText(value: number, currency: string): string {
  const parts = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' }).formatToParts(
    value,
  );
  const figure = parts.filter(({ type }) => type !== 'currency' && type !== 'literal').map((part) => part.value);
  return `${figure.join('')} ${currency}`;
}
