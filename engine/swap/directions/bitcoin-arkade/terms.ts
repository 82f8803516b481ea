import { z } from 'zod';
import { timeHtlcTerms } from '../../../legs/onchain/shape.ts';
import { hash160, type ValueOf } from '../../../legs/shape.ts';
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
  htlc: timeHtlcTerms,
  targetArkadeAddress: z.string(),
  /** HASH160: nobody but the client has the other form before it claims. */
  hash: hash160,
  /** The client's claim key and refund key as they were sent, for the record. */
  claimKeyText: z.string(),
  refundKeyText: z.string(),
};
export const terms = z.strictObject(fields);
export type BitcoinArkadeTerms = ValueOf<typeof fields>;
export type BitcoinArkadeProgress = ProviderProgress<OnchainClaim, ArkadeFund>;
