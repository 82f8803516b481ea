import { z } from 'zod';
import { musigHtlcTerms } from '../../../legs/onchain/shape.ts';
import type { ValueOf } from '../../../legs/shape.ts';
import { sourceTerms, type OnchainClaim } from '../../halves/bitcoin/claim/terms.ts';
import { payTerms, type Payment } from '../../halves/lightning/pay.ts';
import type { ProviderProgress } from '../../provider/direction.ts';

/**
 * Bitcoin to Lightning. The client pays an HTLC on the Bitcoin chain that is locked to the payment hash of an invoice;
 * once the coin is deep enough the service pays the invoice, and the secret that the payment shows claims the coin.
 *
 * Loses money when wrong: a payment started for a coin that is in no block, holds too little, or is the client's again
 * before the payment is surely over; a claim given up after the payment settled.
 */
const fields = { ...sourceTerms, ...payTerms, htlc: musigHtlcTerms };
export const terms = z.strictObject(fields);
export type BitcoinLightningTerms = ValueOf<typeof fields>;
export type BitcoinLightningProgress = ProviderProgress<OnchainClaim, Payment>;
