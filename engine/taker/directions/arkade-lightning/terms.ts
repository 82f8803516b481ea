import { z } from 'zod';
import { shapeOf, unix, type ValueOf } from '../../../legs/shape.ts';
import { arkadeOrderFields } from '../../shape.ts';

const fields = {
  ...arkadeOrderFields,
  bolt11: z.string(),
  invoiceExpiresAt: unix,
};

/** We fund a VHTLC, and the provider pays an invoice. */
export type TakeArkadeLightningTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeArkadeLightningTerms>(z.strictObject(fields));
