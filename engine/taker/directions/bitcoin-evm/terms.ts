import { z } from 'zod';
import { shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { toEvmOrderFields } from '../../evm/shape.ts';
import { orderFields } from '../../shape.ts';

const fields = { ...orderFields, ...toEvmOrderFields };

/**
 * We pay an HTLC on the Bitcoin chain, the provider locks a token worth bitcoin on an EVM chain, and we claim it with a
 * secret of ours.
 */
export type TakeBitcoinEvmTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeBitcoinEvmTerms>(z.strictObject(fields));
