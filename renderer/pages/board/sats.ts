import { figureText } from '../../format/amount.ts';

/** Thousandths of a satoshi in whole ones, never more than there is: of a cost, never less. */
export function wholeSatsDown(msat: bigint): bigint {
  const whole = msat / 1_000n;
  return msat < 0n && msat % 1_000n !== 0n ? whole - 1n : whole;
}

/** `−1,234`: one rule wherever sats stand, for a point before three digits reads as thousands. */
export function signedSats(msat: bigint): string {
  return signed(wholeSatsDown(msat));
}

export function signed(sats: bigint): string {
  return sats < 0n ? `−${figureText(String(-sats), 0)}` : figureText(String(sats), 0);
}
