import { z } from 'zod';
import { flag, words } from '../wire.ts';

/** What became of a test of each way by which the owner is told. */
export const alertTest = z.object({
  results: z.array(
    z.object({
      channel: z
        .enum(['webhook', 'ntfy', 'telegram', 'dead_man'])
        .meta({ description: 'A way that is set; dead_man is the address that is asked for while the node is well' }),
      arrived: flag('Whether it was taken there'),
      reason: words('Why not').optional(),
    }),
  ),
});
export type AlertTest = z.infer<typeof alertTest>;
