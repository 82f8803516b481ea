import { z } from 'zod';
import { shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { arkadeOrderFields } from '../../shape.ts';

const fields = { ...arkadeOrderFields };

/** We fund a VHTLC, and claim an HTLC on the Bitcoin chain with a secret of ours; its claim pays its own fee. */
export type TakeArkadeBitcoinTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeArkadeBitcoinTerms>(z.strictObject(fields));
