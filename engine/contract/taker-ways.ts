import { z } from 'zod';
import { takerDirections } from '../domain/chain.ts';
import { chain, count, words } from './wire.ts';

/* What can be swapped into what now, with this node or with another provider. */

const end = z
  .object({
    chain,
    token: words('btc, or the contract of a token on an EVM chain'),
    symbol: words('Short name'),
    decimals: count('Decimals of the smallest unit'),
    less_bps: count(
      'How much less than expected may arrive, or more be given, in hundredths of a percent, where an exchange makes ' +
        'or takes the token; the least and the most are agreed by it',
    ).optional(),
  })
  .meta({ id: 'TakerWayEnd', description: 'What is given or got' });

/** GET /owner/taker/ways. */
export const takerWays = z.object({
  ways: z
    .array(
      z.object({ direction: z.enum(takerDirections).meta({ description: 'Which way' }), source: end, target: end }),
    )
    .meta({ description: 'Ways that this node can take and that some provider lists' }),
});
export type TakerWays = z.infer<typeof takerWays>;
