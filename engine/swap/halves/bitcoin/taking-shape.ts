import { z } from 'zod';
import { bytes, listOf } from '../../../legs/shape.ts';

/** Stored fields of a state while a coin is being claimed or refunded. */
export const coinTaking = {
  spends: listOf(z.string()),
  parent: bytes.exactOptional(),
  halted: z.literal(true).exactOptional(),
};
