import { z } from 'zod';
import { sats, shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = {
  ...orderFields,
  sourceAmount: sats,
  /** What the HTLC holds; its claim pays its own fee out of it. */
  targetAmount: sats,
  description: z.string(),
};

/** Somebody pays a hold invoice, and we claim an HTLC on the Bitcoin chain with a secret of ours. */
export type TakeLightningBitcoinTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeLightningBitcoinTerms>(z.strictObject(fields));
