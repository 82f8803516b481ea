import type { LightningEvmRecord } from '../../engine/contract/directions/lightning-evm.ts';
import { inSats } from './amount.ts';
import { withoutBlocks } from './blocks.ts';
import { ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { claimed, ordered, swapsTo, type Wish } from './to-evm.ts';
import type { Balance, Stops, Tour } from './tour.ts';

/** A swap whose lock stands on the chain. */
async function funded(tour: Tour, wish: Wish) {
  const { node, say } = tour;
  const { body, ...order } = await ordered(tour, wish);
  const created = await ask(node, 'POST', '/swap/lightning/evm', body);
  const pays = textOf(created, 'source_amount');
  say(`  pays ${pays} sats over Lightning for ${ofToken(order.token, textOf(created, 'target_amount'))}`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/lightning/pay', { bolt11: textOf(created, 'bolt11_invoice') });
  const record = (await withoutBlocks(node, swap.until('serverfunded'))) as unknown as LightningEvmRecord;
  return { ...order, swap, record, went: inSats(BigInt(pays)), ended: () => swap.until('serverredeemed') };
}

async function lightningToEvm(tour: Tour, wish: Wish): Promise<Balance> {
  return claimed(tour, wish.by, await funded(tour, wish));
}

/** The service takes its lock back first, and only then gives the held payment back. */
async function neverClaimed(tour: Tour): Promise<Balance> {
  const { swap, record } = await funded(tour, { chain: '137', symbol: 'WBTC', by: 'node' });
  tour.say('  claims nothing, and lets the time of the lock run');
  await tour.past(record.evm_refund_locktime + 60);
  await swap.until('clientrefundedserverrefunded');
  return null;
}

export const lightningEvmStops: Stops = {
  swaps: swapsTo('Lightning', lightningToEvm),
  refunds: [{ name: 'Lightning to WBTC, never claimed: the payment goes back', run: neverClaimed }],
};
