import { z } from 'zod';
import { musigHtlcTerms } from '../../../legs/onchain/shape.ts';
import { sha256, type ValueOf } from '../../../legs/shape.ts';
import { sourceTerms, type ArkadeClaim } from '../../halves/arkade/claim/terms.ts';
import { targetTerms, type OnchainFund } from '../../halves/bitcoin/fund/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * Arkade to Bitcoin. The client funds a VHTLC; once the coin is good the service funds an HTLC of the same secret on
 * the Bitcoin chain. The client's claim of it gives the secret, which claims the VHTLC. One key of ours is in both.
 *
 * Loses money when wrong: a funding for a coin that is short, gone, or the client's again before our coin is claimed or
 * ours again; a refund of the client's signed while our coin may be claimed; a secret seen and not used.
 */
const fields = {
  ...sourceTerms,
  ...targetTerms,
  htlc: musigHtlcTerms,
  /** As the client sent it, for the record: both scripts have its RIPEMD-160. */
  hash: sha256,
};
export const terms = z.strictObject(fields);
export type ArkadeBitcoinTerms = ValueOf<typeof fields>;
export type ArkadeBitcoinProgress = ProviderProgress<ArkadeClaim, OnchainFund>;
