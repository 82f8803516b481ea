import { z } from 'zod';
import { shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { arkadeOrderFields } from '../../shape.ts';

const fields = {
  ...arkadeOrderFields,
  /** Where the claim pays. */
  targetAddress: z.string(),
  description: z.string(),
};

/** We pay a hold invoice and claim a VHTLC with a secret of ours. */
export type TakeLightningArkadeTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeLightningArkadeTerms>(z.strictObject(fields));
