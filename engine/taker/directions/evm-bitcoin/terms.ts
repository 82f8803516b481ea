import { z } from 'zod';
import { sats, shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { fromEvmFields } from '../../evm/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = {
  ...orderFields,
  ...fromEvmFields,
  /** Exactly this is paid to the HTLC; its claim pays its own fee out of it. */
  targetAmount: sats,
};

/**
 * Tokens of ours are locked on an EVM chain, the provider pays an HTLC on the Bitcoin chain, and we claim it with a
 * secret of ours.
 */
export type TakeEvmBitcoinTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeEvmBitcoinTerms>(z.strictObject(fields));
