const grouped = new Intl.NumberFormat('en', { useGrouping: true, maximumFractionDigits: 0 });

/** `12,500 sats`. */
export function satsText(amount: number | bigint): string {
  return `${grouped.format(amount)} ${BigInt(amount) === 1n ? 'sat' : 'sats'}`;
}

/** Whole satoshis typed by a person, spaces and commas as they like; null for anything else. */
export function readSats(text: string): number | null {
  const digits = text.replaceAll(/[\s,']/g, '');
  if (!/^\d{1,16}$/.test(digits)) return null;
  const amount = Number(digits);
  return Number.isSafeInteger(amount) && amount > 0 ? amount : null;
}
