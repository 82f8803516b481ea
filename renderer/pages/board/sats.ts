import { figureText } from '../../format/amount.ts';

/** Thousandths of a satoshi as sats, `−1,234.5`: whole where they are whole. */
export function signedSats(msat: bigint): string {
  const size = msat < 0n ? -msat : msat;
  const text = size % 1_000n === 0n ? figureText(String(size / 1_000n), 0) : figureText(String(size), 3);
  return msat < 0n ? `−${text}` : text;
}
