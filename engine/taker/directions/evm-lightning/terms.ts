import { z } from 'zod';
import { sats, shapeOf, unix, type ValueOf } from '../../../legs/shape.ts';
import { fromEvmFields } from '../../evm/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = {
  ...orderFields,
  ...fromEvmFields,
  targetAmount: sats,
  bolt11: z.string(),
  invoiceExpiresAt: unix,
};

/** Tokens of ours are locked on an EVM chain, and the provider pays an invoice for them. */
export type TakeEvmLightningTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeEvmLightningTerms>(z.strictObject(fields));
