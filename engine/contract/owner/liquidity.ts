import { z } from 'zod';
import { sats, unixTime, words } from '../wire.ts';
import { units } from './accounts.ts';

/** GET /owner/liquidity: what swaps moved in the last day, and what comes of it. Amounts are in sats. */
export const liquidity = z.object({
  from: unixTime('From'),
  to: unixTime('To'),
  networks: z.array(
    z.object({
      network: words('Network'),
      available: sats('Free'),
      came: units,
      left: units,
      /** When nothing is free any more if it goes on like this; null where it does not fall, or not within 30 days. */
      dry_at: unixTime('Runs dry').nullable(),
      /** What would even it out with the network that has most to give; null where nothing runs dry within a week. */
      move: z.object({ from: words('Network'), amount: sats('Amount') }).nullable(),
    }),
  ),
});
export type Liquidity = z.infer<typeof liquidity>;
