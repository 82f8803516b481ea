import { z } from 'zod';
import type { ValueOf } from '../../../legs/shape.ts';
import { targetTerms, type ArkadeFund } from '../../halves/arkade/fund/terms.ts';
import { sourceTerms, type EvmClaim } from '../../halves/evm/claim/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * EVM to Arkade. The client locks a BTC-pegged token, by itself or by a signature that we relay; once the lock is
 * buried the service locks a VHTLC of the same secret. The client's claim of it shows the secret, which claims the lock
 * (facts/clients.md 2).
 *
 * Loses money when wrong: a VHTLC for a lock that is short, shallow, gone, or refundable before our own refund is
 * final; a refund of the client's signed while our VHTLC is out; the lock claimed by a secret that took nothing of
 * ours, or a VHTLC taken back after its claim opened the lock: then the client has neither.
 */
const fields = {
  ...sourceTerms,
  ...targetTerms,
  targetArkadeAddress: z.string(),
  /** The client's claim key as it was sent, for the record. */
  clientKeyText: z.string(),
};
export const terms = z.strictObject(fields);
export type EvmArkadeTerms = ValueOf<typeof fields>;
export type EvmArkadeProgress = ProviderProgress<EvmClaim, ArkadeFund>;
