import { z } from 'zod';
import { musigHtlcTerms } from '../../../legs/onchain/shape.ts';
import type { ValueOf } from '../../../legs/shape.ts';
import { targetTerms, type OnchainFund } from '../../halves/bitcoin/fund/terms.ts';
import { holdTerms, type Hold } from '../../halves/lightning/hold/terms.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * Lightning to Bitcoin. The client pays a hold invoice; once the payment is held the service funds an HTLC of the same
 * secret on the Bitcoin chain. The client's claim of it shows the secret, which settles the payment.
 *
 * Loses money when wrong: a funding for a payment that is not held, or that may go back before our coin is claimed or
 * ours again; a hold invoice cancelled before our refund is final; a secret seen and not used; a payment settled by a
 * claim that took nothing of ours.
 */
const fields = { ...holdTerms, ...targetTerms, htlc: musigHtlcTerms };
export const terms = z.strictObject(fields);
export type LightningBitcoinTerms = ValueOf<typeof fields>;
export type LightningBitcoinProgress = ProviderProgress<Hold, OnchainFund>;
