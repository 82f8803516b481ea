import { z } from 'zod';
import { words } from '../wire.ts';

export const doctor = z.object({
  rows: z.array(
    z.object({
      network: words('Network or part of the node'),
      check: words('What was checked'),
      result: z.enum(['pass', 'warn', 'fail']),
      sentence: words('What was found and what to do'),
    }),
  ),
});
export type Doctor = z.infer<typeof doctor>;
