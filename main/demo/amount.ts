/** Smallest units of something, and how people read them. */
export interface Amount {
  readonly units: bigint;
  readonly decimals: number;
  readonly symbol: string;
}

export function inSats(units: bigint | number): Amount {
  return { units: BigInt(units), decimals: 0, symbol: 'sats' };
}

/** Tokens in whole ones, as wallets show them; sats as they are. */
export function shown({ units, decimals, symbol }: Amount): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}${fraction === '' ? '' : `.${fraction}`} ${symbol}`;
}
