import { z } from 'zod';
import type { ValueOf } from '../../../legs/shape.ts';
import { payTerms, type Payment } from '../../halves/lightning/pay.ts';
import type { ProviderProgress } from '../../provider/direction.ts';
import { sourceTerms, type ArkadeClaim } from '../../halves/arkade/claim/terms.ts';

/**
 * Arkade to Lightning. The client funds a VHTLC locked to the payment hash of an invoice; once the coin is good the
 * service pays the invoice, and the preimage that the payment reveals claims the VHTLC (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a coin that is short, gone, or expires before it can be claimed; a
 * refund cosigned while the payment may still settle; a claim given up after the payment settled.
 */
const fields = { ...sourceTerms, ...payTerms };
export const terms = z.strictObject(fields);
export type ArkadeLightningTerms = ValueOf<typeof fields>;
export type ArkadeLightningProgress = ProviderProgress<ArkadeClaim, Payment>;
