import { keyAggExport, keyAggregate } from '@scure/btc-signer/musig2.js';
import { asXOnly, type PublicKey, type XOnly } from '../domain/hash.ts';

/*
 * MuSig2 (BIP-327) of two, provider and client, by the library's arithmetic; that is held against the vectors of the
 * BIP in the tests, and every signature that comes out of it is verified by the engine's own curve.
 */

/**
 * The aggregate of both keys, in this order, 33 bytes each and never sorted (facts/onchain.md 12). Throws on a key that
 * is no point. Wrong: an address at which the other side agrees to nothing, or nobody can sign.
 */
export function musigKey(provider: PublicKey, client: PublicKey): XOnly {
  return asXOnly(keyAggExport(keyAggregate([provider, client])));
}
