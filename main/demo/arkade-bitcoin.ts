import type { ArkadeBitcoinRecord } from '../../engine/contract/directions/arkade-bitcoin.ts';
import { inSats } from './amount.ts';
import { mining, timeOfHeight } from './blocks.ts';
import { follow } from './follow.ts';
import { refundAlone, refundTogether } from './from-arkade.ts';
import { ask, textOf } from './http.ts';
import { offered } from './offered.ts';
import { ordered, swapsTo } from './to-bitcoin.ts';
import { exactly, type Balance, type Stops, type Tour } from './tour.ts';

/** A swap whose HTLC the service has funded. */
async function funded(tour: Tour) {
  const { node, client, say } = tour;
  await offered(node, { source: 'Arkade', target: 'Bitcoin' });
  const { secret, body } = ordered(tour);
  const created = await ask(node, 'POST', '/swap/arkade/bitcoin', {
    ...body,
    arkade_htlc_script_version: 1,
    refund_pk: client.publicKey,
  });
  const pays = textOf(created, 'source_amount');
  say(`  sends ${pays} sats on Arkade for ${textOf(created, 'target_amount')} sats on chain`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/arkade/faucet', {
    address: textOf(created, 'arkade_vhtlc_address'),
    amount: Number(pays),
  });
  // The service funds out of coins that are in a block.
  const record = (await mining(node, swap.until('serverfunded'))) as unknown as ArkadeBitcoinRecord;
  return { swap, record, secret, went: inSats(BigInt(pays)) };
}

/** The service takes its coin back once the chain is at the height, and only then signs that the client has its own. */
async function neverClaimed(tour: Tour, by: 'both' | 'client'): Promise<Balance> {
  const { node, client, say, past } = tour;
  const { swap, record, went } = await funded(tour);
  say('  claims nothing, and lets the blocks come');
  await past((await timeOfHeight(node, record.btc_refund_locktime)) + 60);
  await mining(node, swap.until('clientfundedserverrefunded'));
  const coin = { ...record, address: record.arkade_vhtlc_address };
  if (by === 'both') await refundTogether(tour, '/api/swap/arkade-evm', coin);
  else await refundAlone(tour, coin);
  await swap.until('clientrefundedserverrefunded');
  const came = inSats(await client.balance());
  exactly(came.units, went.units, 'On Arkade');
  return { went, came };
}

export const arkadeBitcoinStops: Stops = {
  swaps: swapsTo('Arkade', funded),
  refunds: [
    { name: 'Arkade to Bitcoin, never claimed: both coins go back', run: (tour) => neverClaimed(tour, 'both') },
    {
      name: 'Arkade to Bitcoin, never claimed: refunded by the client alone',
      run: (tour) => neverClaimed(tour, 'client'),
    },
  ],
};
