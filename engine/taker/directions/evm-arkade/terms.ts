import { z } from 'zod';
import { sats, shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { fromEvmFields } from '../../evm/shape.ts';
import { arkadeOrderFields } from '../../shape.ts';

const fields = {
  ...arkadeOrderFields,
  ...fromEvmFields,
  /** Exactly this is locked for us. */
  targetAmount: sats,
  /** Where the claim pays. */
  targetAddress: z.string(),
};

/** Tokens of ours are locked on an EVM chain, the provider locks a VHTLC, and we claim it with a secret of ours. */
export type TakeEvmArkadeTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeEvmArkadeTerms>(z.strictObject(fields));
