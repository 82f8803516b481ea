import { z } from 'zod';
import { shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { arkadeOrderFields } from '../../shape.ts';

const fields = {
  ...arkadeOrderFields,
  /** Where the claim pays. */
  targetAddress: z.string(),
};

/** We pay an HTLC on the Bitcoin chain, and claim a VHTLC with a secret of ours. */
export type TakeBitcoinArkadeTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeBitcoinArkadeTerms>(z.strictObject(fields));
