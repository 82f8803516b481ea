const grouped = new Intl.NumberFormat('en', { useGrouping: true, maximumFractionDigits: 0 });

/** An amount in the smallest units of its asset, and how it is read by people. */
export interface Amount {
  /** Decimal digits, no sign, no point. */
  readonly amount: string;
  readonly decimals: number;
  readonly symbol: string;
}

/** `1,117.63`: thousands grouped, never rounded, at least two places where there are any. */
export function figureText(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const whole = grouped.format(BigInt(digits.slice(0, digits.length - decimals)));
  if (decimals === 0) return whole;
  const places = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}.${places.padEnd(Math.min(2, decimals), '0')}`;
}

const mostPlaces = 8;

/**
 * The same, cut to eight places where there are more, or to the first eight digits of what is less than that: never
 * more than there is, and never nothing where there is something. To look at, not to pay by.
 */
export function shortFigure(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0');
  const zeros = /^0*/.exec(digits)?.[0].length ?? 0;
  const places = mostPlaces + Math.max(0, zeros - (digits.length - decimals));
  return places >= decimals
    ? figureText(amount, decimals)
    : figureText(digits.slice(0, digits.length - decimals + places), places);
}

/** Bitcoin is counted in sats, wherever it is: one unit for every comparison. */
export function shown(amount: Amount): Amount {
  return amount.symbol === 'BTC' && amount.decimals === 8 ? { ...amount, symbol: 'sats', decimals: 0 } : amount;
}

/** `1,117.63 USDC`, `1 sat`. */
export function amountText(given: Amount): string {
  return withUnit(given, figureText);
}

/** The same, of as many places as are looked at. */
export function shortText(given: Amount): string {
  return withUnit(given, shortFigure);
}

function withUnit(given: Amount, text: (amount: string, decimals: number) => string): string {
  const { amount, decimals, symbol } = shown(given);
  return `${text(amount, decimals)} ${amount === '1' && symbol === 'sats' ? 'sat' : symbol}`;
}

/** What a person typed, spaces and commas as they like, in the smallest units; null for anything that is no amount. */
export function readUnits(text: string, decimals: number): string | null {
  const match = /^(\d{1,30})(?:\.(\d*))?$/.exec(text.replaceAll(/[\s,']/g, ''));
  const places = match?.[2] ?? '';
  if (match === null || places.length > decimals) return null;
  const units = `${match[1] ?? ''}${places.padEnd(decimals, '0')}`.replace(/^0+(?=\d)/, '');
  return units === '0' ? null : units;
}
