import { z } from 'zod';
import { evmAddress } from '../../../legs/evm/shape.ts';
import { sats, shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { evmOrderFields, exchangeTerms } from '../../evm/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = {
  ...orderFields,
  ...evmOrderFields,
  /** Exactly this is paid. */
  sourceAmount: sats,
  /** Least that comes out, in smallest units of the token; what was expected of it where it is exchanged. */
  targetAmount: z.bigint(),
  /** Where the claim pays. */
  destination: evmAddress,
  /** Left out where the token of the lock is what is wanted. */
  exchange: exchangeTerms.exactOptional(),
  description: z.string(),
};

/** We pay a hold invoice, the provider locks a token worth bitcoin on an EVM chain, and we claim it with our secret. */
export type TakeLightningEvmTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeLightningEvmTerms>(z.strictObject(fields));
