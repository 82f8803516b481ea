import { z } from 'zod';
import { optional, request } from '../field.ts';
import { unitsField } from '../scalars.ts';
import { amount, evmAddress, words } from '../wire.ts';

/** GET /owner/contracts/{network}: what the chain lacks of our contracts, and what putting it there costs. */
export const deployment = z.object({
  account: evmAddress('Who deploys and pays: the account of the node there'),
  contracts: z.array(
    z.object({
      name: words('Contract'),
      address: evmAddress('Where it stands or will: its code alone decides'),
      state: z
        .enum(['stands', 'missing', 'doubt'])
        .meta({ description: 'As every RPC shows it; doubt while they differ' }),
      most_wei: amount('Most that its gas may cost, in wei; 0 where nothing is sent for it'),
    }),
  ),
  most_wei: amount('Most that all of it may cost, in wei'),
  balance_wei: amount('What the account has, in wei'),
  kept_wei: amount('What of it is kept for the gas of claims and refunds, in wei'),
  missing_wei: amount('What the account lacks for that, in wei'),
  obstacle: words('Why it cannot be begun now').nullable(),
  job: z
    .object({ id: words('Wallet job'), sentence: words('What it does now, or came to') })
    .nullable()
    .meta({ description: 'The last deployment on the chain' }),
});
export type Deployment = z.infer<typeof deployment>;

/** POST /owner/contracts/{network}: left out where nothing lacks but the settings, which name our contracts then. */
export interface DeploymentRequest {
  readonly mostWei: bigint;
}

export const deploymentBody = request(
  { most_wei: optional(unitsField('most_wei', 'the most that all of it may cost, as it was shown')) },
  (wire): DeploymentRequest => ({ mostWei: wire.most_wei ?? 0n }),
);
