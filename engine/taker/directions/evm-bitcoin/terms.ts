import { z } from 'zod';
import { sats, shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { evmOrderFields } from '../../evm/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = {
  ...orderFields,
  ...evmOrderFields,
  /** Most that is locked, in smallest units of the token. */
  sourceAmount: z.bigint(),
  /** Exactly this is paid to the HTLC; its claim pays its own fee out of it. */
  targetAmount: sats,
};

/**
 * Tokens of ours are locked on an EVM chain, the provider pays an HTLC on the Bitcoin chain, and we claim it with a
 * secret of ours.
 */
export type TakeEvmBitcoinTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeEvmBitcoinTerms>(z.strictObject(fields));
