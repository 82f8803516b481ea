import { rowsOf, type Row } from './row.ts';

/** What was said of the peg of a chain's token. */
export type PegFacts = { readonly chainId: string } & (
  | { readonly is: 'off'; readonly lacks: 'source' | 'pool' }
  | { readonly is: 'silent'; readonly words: string }
  | { readonly is: 'read'; readonly pegged: number; readonly bitcoin: number; readonly boundBps: number }
);

/**
 * Where money is real a token that is worth less than a bitcoin is what swaps are paid with; elsewhere it has no
 * market.
 */
export function judgePeg(peg: PegFacts, { isReal }: { readonly isReal: boolean }): Row[] {
  const { chainId } = peg;
  const rows = rowsOf(`evm:${chainId}`);
  const token = `The pegged token of chain ${chainId}`;
  if (peg.is === 'off') {
    const lacking = peg.lacks === 'source' ? 'prices.source' : `evm.${chainId}.peg`;
    const sentence =
      `${token} counts as bitcoin at any market price, for ${lacking} is not set: set it, and new swaps stop ` +
      'where it is not worth one.';
    if (isReal) rows.warn('peg', sentence);
    else rows.pass('peg', sentence);
  } else if (peg.is === 'silent') {
    rows.fail(
      'peg',
      `The price of ${token.replace('The', 'the')} is not known, and new swaps over it wait: ${peg.words}.`,
    );
  } else {
    const apart = Math.abs(peg.pegged / peg.bitcoin - 1) * 10_000;
    const figures =
      `${token} costs ${peg.pegged.toPrecision(6)} in the mean of half an hour and a bitcoin ` +
      `${peg.bitcoin.toPrecision(6)}, ${(apart / 100).toFixed(2)} % apart`;
    if (apart <= peg.boundBps) rows.pass('peg', `${figures}.`);
    else
      rows.fail(
        'peg',
        `${figures}: beyond ${(peg.boundBps / 100).toFixed(2)} % for ten minutes new swaps over it stop. See that ` +
          `pool and price are in the same unit (evm.${chainId}.peg, prices.source).`,
      );
  }
  return [...rows.list];
}
