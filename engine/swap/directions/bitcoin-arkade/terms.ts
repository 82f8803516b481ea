import { z } from 'zod';
import { hash160, sha256, type ValueOf } from '../../../legs/shape.ts';
import { sourceTerms, type OnchainClaim } from '../../halves/bitcoin/claim/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';
import { targetTerms, type ArkadeFund } from '../../halves/arkade/fund/terms.ts';

/**
 * Bitcoin to Arkade. The client pays an HTLC on the Bitcoin chain, the service locks a VHTLC under the same hash, the
 * client claims it and so reveals the secret, the service claims the bitcoin with it (facts/clients.md 2,
 * facts/onchain.md 2).
 *
 * Loses money when wrong: a VHTLC locked for a coin that is in no block, or is the client's again before the VHTLC is
 * surely ours or claimed; a bitcoin claimed after our refund of the VHTLC; a secret seen and not used.
 */
const fields = {
  ...sourceTerms,
  ...targetTerms,
  /** HASH160: of a client of ours nobody has the other form before it claims. */
  hash: hash160,
  /** SHA-256 of the secret, where the client gave that. */
  sha256: sha256.exactOptional(),
  /** The client's claim key and refund key as they were sent, for the record. */
  claimKeyText: z.string(),
  refundKeyText: z.string(),
};
export const terms = z.strictObject(fields);
export type BitcoinArkadeTerms = ValueOf<typeof fields>;
export type BitcoinArkadeProgress = ProviderProgress<OnchainClaim, ArkadeFund>;
