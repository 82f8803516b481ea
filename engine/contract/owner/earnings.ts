import { z } from 'zod';
import { optional, request } from '../field.ts';
import { integerField } from '../scalars.ts';
import { count, sats, unixTime, words } from '../wire.ts';
import { units } from './accounts.ts';

/** GET /owner/earnings. */
export const earnings = z.object({
  from: unixTime('From'),
  to: unixTime('To'),
  days: z.array(
    z.object({
      day: unixTime('Its midnight, UTC'),
      /** Null for what the wallets cost. */
      pair: words('Direction').nullable(),
      /** Begun that day, and done. */
      swaps: count('Swaps'),
      volume_sats: sats('Volume'),
      earned: units,
      paid: units,
      /** In the smallest unit of the coin of a chain. */
      gas: z.array(z.object({ network: words('Network'), amount: units })),
    }),
  ),
});
export type Earnings = z.infer<typeof earnings>;

/** Most days in one answer. */
export const mostDays = 400;

export interface EarningsQuery {
  readonly from: number | null;
  readonly to: number | null;
}

const moment = (name: string) => optional(integerField(name, 'unix seconds', 0, 253_402_300_799));

export const earningsQuery = request(
  {
    from: moment('from'),
    to: moment('to'),
  },
  (wire): EarningsQuery => ({ from: wire.from ?? null, to: wire.to ?? null }),
);
