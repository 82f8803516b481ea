import type { PublicKey, XOnly } from '../domain/hash.ts';

/**
 * Names a private key of the node without holding it. Swap keys are numbered by a counter that is saved before the key
 * is used; reusing an index would let one counterparty's leaf be spent by another's terms.
 */
export type KeyRef =
  | { readonly branch: 'swap' | 'taker' | 'bitcoin-deposit' | 'bitcoin-change'; readonly index: number }
  | { readonly branch: 'arkade-wallet' | 'delegate' | 'evm-account' };

/** One key's public half and its BIP-340 signature over a 32-byte message. */
export interface Signer {
  readonly publicKey: PublicKey;
  readonly xOnly: XOnly;
  sign(message: Uint8Array): Uint8Array;
}
