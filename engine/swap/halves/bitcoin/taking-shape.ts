import { z } from 'zod';
import { bytes } from '../../../legs/shape.ts';

/** What of a state the taking of a coin is, as it is kept. */
export const coinTaking = {
  spends: z.array(z.string()),
  parent: bytes.exactOptional(),
  halted: z.literal(true).exactOptional(),
};
