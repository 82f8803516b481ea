import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import { inSats } from './amount.ts';
import { ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { refundAlone, refundTogether } from './from-arkade.ts';
import { ask, textOf } from './http.ts';
import { claimed, ordered, swapsTo, type Wish } from './to-evm.ts';
import { exactly, type Balance, type Stops, type Tour } from './tour.ts';

/** A swap whose lock stands on the chain. */
async function funded(tour: Tour, wish: Wish) {
  const { node, client, say } = tour;
  const { body, ...order } = await ordered(tour, wish);
  const created = await ask(node, 'POST', '/swap/arkade/evm', {
    ...body,
    arkade_htlc_script_version: 1,
    refund_pk: client.publicKey,
  });
  const pays = textOf(created, 'source_amount');
  say(`  sends ${pays} sats on Arkade for ${ofToken(order.token, textOf(created, 'target_amount'))}`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/arkade/faucet', {
    address: textOf(created, 'btc_vhtlc_address'),
    amount: Number(pays),
  });
  const record = (await swap.until('serverfunded')) as unknown as ArkadeEvmRecord;
  return { ...order, swap, record, went: inSats(BigInt(pays)), ended: () => swap.until('serverredeemed') };
}

async function arkadeToEvm(tour: Tour, wish: Wish): Promise<Balance> {
  return claimed(tour, wish.by, await funded(tour, wish));
}

/** The service takes its lock back first, and signs only then that the client has its own. */
async function neverClaimed(tour: Tour, by: 'both' | 'client'): Promise<Balance> {
  const { client, say, past } = tour;
  const { swap, record, went } = await funded(tour, { chain: '137', symbol: 'WBTC', by: 'node' });
  say('  claims nothing, and lets the time of both locks run');
  await past(record.evm_refund_locktime + 60);
  await swap.until('clientfundedserverrefunded');
  const coin = { ...record, address: record.btc_vhtlc_address };
  if (by === 'both') await refundTogether(tour, '/api/swap/arkade-evm', coin);
  else await refundAlone(tour, coin);
  await swap.until('clientrefundedserverrefunded');
  const came = inSats(await client.balance());
  exactly(came.units, went.units, 'On Arkade');
  return { went, came };
}

export const arkadeEvmStops: Stops = {
  swaps: swapsTo('Arkade', arkadeToEvm),
  refunds: [
    { name: 'Arkade to WBTC, never claimed: both locks go back', run: (tour) => neverClaimed(tour, 'both') },
    {
      name: 'Arkade to WBTC, never claimed: refunded by the client alone',
      run: (tour) => neverClaimed(tour, 'client'),
    },
  ],
};
