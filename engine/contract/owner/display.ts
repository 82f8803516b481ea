import { z } from 'zod';
import { count, fraction, words } from '../wire.ts';

/** GET /owner/display: what the owner set for reading amounts and transactions. No judgement of money knows of it. */
export const display = z.object({
  fiat: z
    .object({
      currency: words('Code of the currency, such as USD'),
      price: fraction('What a bitcoin costs in it'),
      age_seconds: count('How long ago the source said so'),
    })
    .nullable()
    .meta({ description: 'Null without a source, and where it said nothing in a day' }),
  trouble: words('Why the source said nothing just now').nullable(),
  explorers: z
    .record(z.string(), words('Address of a transaction, {txid} for its id'))
    .meta({ description: 'By network: where its transactions can be looked at' }),
});
export type Display = z.infer<typeof display>;
