import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import type { RedeemData } from '../../engine/contract/records/replies.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { tokenOn } from './tokens.ts';
import { amount, patienceMs, type Stop, type Tour } from './tour.ts';

/** The client has a key and no coins: the node sends its claim. */
async function arkadeToEvm(tour: Tour, chain: string, symbol: string | null): Promise<void> {
  const { node, client, say } = tour;
  const secret = randomBytes(32);
  const destination = `0x${randomBytes(20).toString('hex')}`;
  const created = await ask(node, 'POST', '/swap/arkade/evm', {
    arkade_htlc_script_version: 1,
    claiming_address: client.evm.address,
    evm_chain_id: Number(chain),
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    refund_pk: client.publicKey,
    target_address: destination,
    token_address: await tokenOn(tour, { side: 'target', chain, symbol }),
    user_id: randomUUID(),
    amount_in: 2 * amount,
  });
  const { symbol: name } = created['target_token'] as { symbol: string };
  say(
    `  sends ${textOf(created, 'source_amount')} sats on Arkade for ${textOf(created, 'target_amount')} units of ${name}`,
  );
  const id = textOf(created, 'id');
  const swap = follow(node, id, say, patienceMs);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/arkade/faucet', {
    address: textOf(created, 'btc_vhtlc_address'),
    amount: Number(textOf(created, 'source_amount')),
  });
  const record = (await swap.until('serverfunded')) as unknown as ArkadeEvmRecord;
  const data = await ask(node, 'GET', `/swap/${id}/redeem-and-swap-calldata?destination=${destination}`);
  const { dex_calldata } = data;
  await ask(node, 'POST', `/swap/${id}/claim-gasless`, {
    secret: secret.toString('hex'),
    destination,
    ...(await client.evm.sign(record, data as unknown as RedeemData, { secret, destination })),
    ...(dex_calldata === undefined ? {} : { dex_calldata }),
  });
  await swap.until('serverredeemed');
}

export const arkadeEvmStops: readonly Stop[] = [
  { name: 'Arkade to the pegged token of an EVM chain', run: (tour) => arkadeToEvm(tour, '137', null) },
  { name: 'Arkade to another token, through its exchange', run: (tour) => arkadeToEvm(tour, '137', 'USDC') },
  { name: 'Arkade to the coin of an EVM chain', run: (tour) => arkadeToEvm(tour, '31', null) },
];
