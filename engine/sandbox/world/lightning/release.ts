/** What differs between releases of lnd, as seen on regtest. */
export interface LndRelease {
  readonly version: string;
  /** Blocks before its timeout at which a held HTLC goes back by itself. */
  readonly cancelBlocks: number;
  /** Least final CLTV delta of an invoice. */
  readonly leastCltvDelta: number;
}

export const lnd020: LndRelease = { version: '0.20.2-beta', cancelBlocks: 12, leastCltvDelta: 18 };
