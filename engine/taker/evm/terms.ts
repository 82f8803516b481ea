import type { z } from 'zod';
import type { ValueOf } from '../../legs/shape.ts';
import type { evmLeg, evmOrderFields, exchangeTerms } from './shape.ts';

export type EvmOrderTerms = ValueOf<typeof evmOrderFields>;
export type ExchangeTerms = Readonly<z.infer<typeof exchangeTerms>>;
export type EvmLeg = Readonly<z.infer<typeof evmLeg>>;
