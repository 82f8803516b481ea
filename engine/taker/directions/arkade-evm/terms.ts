import { z } from 'zod';
import { shapeOf, type ValueOf } from '../../../legs/shape.ts';
import { toEvmOrderFields } from '../../evm/shape.ts';
import { arkadeOrderFields } from '../../shape.ts';

const fields = { ...arkadeOrderFields, ...toEvmOrderFields };

/** We fund a VHTLC, the provider locks a token worth bitcoin on an EVM chain, and we claim it with a secret of ours. */
export type TakeArkadeEvmTerms = ValueOf<typeof fields>;

export const terms = shapeOf<TakeArkadeEvmTerms>(z.strictObject(fields));
