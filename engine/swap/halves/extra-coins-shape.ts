import { z } from 'zod';
import { exactly, outpoint, sats } from '../../legs/shape.ts';
import type { Stray } from './extra-coins.ts';

export const stray = exactly<Stray>()(
  z.strictObject({ outpoint, amount: sats, spent: z.boolean(), denied: z.literal(true).exactOptional() }),
);
