import { randomUUID } from 'node:crypto';
import type { EvmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import type { Permit2Funding } from '../../engine/contract/records/replies.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { tokenOn } from './tokens.ts';
import { amount, patienceMs, type Stop, type Tour } from './tour.ts';

/** The client has a token and no coins: the node sends its funding. */
async function evmToLightning(tour: Tour, chain: string, symbol: string): Promise<void> {
  const { node, client, say } = tour;
  const token = await tokenOn(tour, { side: 'source', chain, symbol });
  const { bolt11 } = await ask(node, 'POST', '/sandbox/lightning/invoice', { amount_sats: 2 * amount });
  const created = await ask(node, 'POST', '/swap/evm/lightning', {
    evm_chain_id: Number(chain),
    token_address: token,
    user_address: client.evm.address,
    user_id: randomUUID(),
    lightning_invoice: bolt11,
    gasless: true,
  });
  say(
    `  sends ${textOf(created, 'source_amount')} units of ${symbol} for a payment of ${textOf(created, 'target_amount')} sats`,
  );
  const id = textOf(created, 'id');
  const swap = follow(node, id, say, patienceMs);
  const record = (await swap.until('pending')) as unknown as EvmLightningRecord;
  const data = (await ask(node, 'GET', `/swap/${id}/swap-and-lock-calldata-permit2`)) as unknown as Permit2Funding;
  await ask(node, 'POST', `/sandbox/evm/${chain}/faucet`, {
    address: client.evm.address,
    token,
    amount: data.source_amount,
  });
  const { clock } = await ask(node, 'GET', '/sandbox');
  await ask(node, 'POST', `/swap/${id}/fund-gasless`, {
    ...(await client.evm.fund(record, data, Number(clock) + 3_600)),
  });
  await swap.until('serverredeemed');
}

export const evmLightningStops: readonly Stop[] = [
  { name: 'A token of an EVM chain to Lightning', run: (tour) => evmToLightning(tour, '137', 'USDC') },
];
