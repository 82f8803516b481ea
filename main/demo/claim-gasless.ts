import type { RedeemData } from '../../engine/contract/records/evm.ts';
import { ask } from './http.ts';
import type { Tour } from './tour.ts';

type Claimed = Parameters<Tour['client']['evm']['claim']>[0] & { readonly id: string };

/** What the claim of the node's lock is signed for, as the node says it. */
export async function redeemData({ node }: Pick<Tour, 'node'>, id: string, destination: string): Promise<RedeemData> {
  const path = `/swap/${id}/redeem-and-swap-calldata?destination=${destination}`;
  return (await ask(node, 'GET', path)) as unknown as RedeemData;
}

/** Claims the node's lock by a signature that the node sends for a client without gas. */
export async function claimGasless(
  { node, client }: Pick<Tour, 'node' | 'client'>,
  record: Claimed,
  { secret, destination }: { readonly secret: Buffer; readonly destination: string },
): Promise<RedeemData> {
  const data = await redeemData({ node }, record.id, destination);
  const { dex_calldata } = data;
  await ask(node, 'POST', `/swap/${record.id}/claim-gasless`, {
    secret: secret.toString('hex'),
    destination,
    ...(await client.evm.claim(record, data, { secret, destination })),
    ...(dex_calldata === undefined ? {} : { dex_calldata }),
  });
  return data;
}
