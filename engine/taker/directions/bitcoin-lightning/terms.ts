import { z } from 'zod';
import { sats, shapeOf, unix, type ValueOf } from '../../../legs/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = {
  ...orderFields,
  sourceAmount: sats,
  targetAmount: sats,
  bolt11: z.string(),
  invoiceExpiresAt: unix,
};

/** We pay an HTLC on the Bitcoin chain, and the provider pays an invoice. */
export type TakeBitcoinLightningTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeBitcoinLightningTerms>(z.strictObject(fields));
