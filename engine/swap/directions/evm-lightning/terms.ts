import { z } from 'zod';
import type { ValueOf } from '../../../legs/shape.ts';
import { sourceTerms, type EvmClaim } from '../../halves/evm/claim/terms.ts';
import { payTerms, type Payment } from '../../halves/lightning/pay.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * EVM to Lightning. The client locks a BTC-pegged token to the payment hash of an invoice, by itself or by a signature
 * that we relay; once the lock is buried the service pays the invoice, and the preimage that the payment reveals claims
 * the lock (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a lock that is short, shallow, gone, or refundable before it can be
 * claimed; a refund signed while the payment may still settle; a claim given up after the payment settled.
 */
const fields = { ...sourceTerms, ...payTerms };
export const terms = z.strictObject(fields);
export type EvmLightningTerms = ValueOf<typeof fields>;
export type EvmLightningProgress = ProviderProgress<EvmClaim, Payment>;
