import { z } from 'zod';
import { shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { toEvmOrderFields } from '../../evm/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = { ...orderFields, ...toEvmOrderFields, description: z.string() };

/** We pay a hold invoice, the provider locks a token worth bitcoin on an EVM chain, and we claim it with our secret. */
export type TakeLightningEvmTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeLightningEvmTerms>(z.strictObject(fields));
