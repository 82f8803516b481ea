import { z } from 'zod';
import { amount, count, words } from './wire.ts';

/*
 * The account of the owner's own swaps on each EVM chain: tokens wait there for a swap, and stay there where more came
 * or none was made.
 */

/** GET /owner/taker/accounts. */
export const takerAccounts = z.object({
  accounts: z
    .array(
      z
        .object({
          network: words('evm:137'),
          address: words('The account, the same on every chain'),
          holdings: z
            .array(
              z.object({
                asset: words('Address of the token; zero for the coin'),
                symbol: words('Short name; empty for the coin'),
                decimals: count('Decimals of the smallest unit'),
                available: amount('What can be sent on'),
                kept: amount('What lies there for open swaps that wait for it, their gas included'),
                most_gas: amount('Most wei that gas of sending it on may cost now, raises included'),
              }),
            )
            .nullable()
            .meta({ description: 'What it holds; null while the chain does not answer' }),
        })
        .meta({ id: 'TakerAccount', description: 'The account of the own swaps on one chain' }),
    )
    .meta({ description: 'One for each chain that is set' }),
});
export type TakerAccounts = z.infer<typeof takerAccounts>;
