import { z } from 'zod';
import type { ValueOf } from '../../../legs/shape.ts';
import { holdTerms, type Hold } from '../../halves/lightning/hold/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';
import { targetTerms, type ArkadeFund } from '../../halves/arkade/fund/terms.ts';

/**
 * Lightning to Arkade. The client pays a hold invoice, the service locks a VHTLC under the same hash, the client claims
 * it and so reveals the preimage, the service settles the held payment (facts/clients.md 2, facts/timelocks.md 6).
 *
 * Loses money when wrong: a VHTLC locked for a payment that is not held, or held for less time than the VHTLC lives; a
 * hold invoice cancelled while the VHTLC can still be claimed; a preimage seen and not used.
 */
const fields = {
  ...holdTerms,
  ...targetTerms,
  /** The client's claim key as it was sent, for the record. */
  clientKeyText: z.string(),
};
export const terms = z.strictObject(fields);
export type LightningArkadeTerms = ValueOf<typeof fields>;
export type LightningArkadeProgress = ProviderProgress<Hold, ArkadeFund>;
