import type { LightningBitcoinRecord } from '../../engine/contract/directions/lightning-bitcoin.ts';
import { inSats } from './amount.ts';
import { mining, timeOfHeight } from './blocks.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { offered } from './offered.ts';
import { ordered, swapsTo } from './to-bitcoin.ts';
import type { Balance, Stops, Tour } from './tour.ts';

/** A swap whose HTLC the service has funded. */
async function funded(tour: Tour) {
  const { node, say } = tour;
  await offered(node, { source: 'Lightning', target: 'Bitcoin' });
  const { secret, body } = ordered(tour);
  const created = await ask(node, 'POST', '/swap/lightning/bitcoin', body);
  const pays = textOf(created, 'source_amount');
  say(`  pays ${pays} sats over Lightning for ${textOf(created, 'target_amount')} sats on chain`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/lightning/pay', { bolt11: textOf(created, 'bolt11_invoice') });
  // The service funds out of coins that are in a block.
  const record = (await mining(node, swap.until('serverfunded'))) as unknown as LightningBitcoinRecord;
  return { swap, record, secret, went: inSats(BigInt(pays)) };
}

/** The service takes its coin back once the chain is at the height, and only then gives the held payment back. */
async function neverClaimed(tour: Tour): Promise<Balance> {
  const { node, say, past } = tour;
  const { swap, record } = await funded(tour);
  say('  claims nothing, and lets the blocks come');
  await past((await timeOfHeight(node, record.btc_refund_locktime)) + 60);
  await mining(node, swap.until('clientrefundedserverrefunded'));
  return null;
}

export const lightningBitcoinStops: Stops = {
  swaps: swapsTo('Lightning', funded),
  refunds: [{ name: 'Lightning to Bitcoin, never claimed: the payment goes back', run: neverClaimed }],
};
