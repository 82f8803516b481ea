import { z } from 'zod';
import { bytes, exactly } from '../legs/shape.ts';
import type { ReducedTerms } from './reduced.ts';

const amount = z.number();
const time = z.number();

export const reducedFields = {
  reduced: z.literal(1),
  kept: z.tuple([
    bytes,
    bytes,
    bytes,
    bytes,
    z.string(),
    z.enum(['ark', 'tark']),
    z.number(),
    amount,
    amount,
    amount,
    amount,
    time,
    time,
    time,
    time,
  ]),
  invoiceExpiresAt: time,
};

export const reducedTerms = exactly<ReducedTerms>()(z.strictObject(reducedFields));
