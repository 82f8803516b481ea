import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { LightningBitcoinRecord } from '../../engine/contract/directions/lightning-bitcoin.ts';
import { inSats } from './amount.ts';
import { bitcoinOf, mining, timeOfHeight } from './blocks.ts';
import { cosign } from './cosign.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { offered } from './offered.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

/** A swap whose HTLC the service has funded. */
async function funded(tour: Tour) {
  const { node, client, say } = tour;
  await offered(node, { source: 'Lightning', target: 'Bitcoin' });
  const secret = randomBytes(32);
  const created = await ask(node, 'POST', '/swap/lightning/bitcoin', {
    btc_htlc_script_version: 2,
    claim_pk: client.publicKey,
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    user_id: randomUUID(),
    target_amount_sats: 2 * amount,
    target_address: client.bitcoin.address,
  });
  const pays = textOf(created, 'source_amount');
  say(`  pays ${pays} sats over Lightning for ${textOf(created, 'target_amount')} sats on chain`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/lightning/pay', { bolt11: textOf(created, 'bolt11_invoice') });
  // The service funds out of coins that are in a block.
  const record = (await mining(node, swap.until('serverfunded'))) as unknown as LightningBitcoinRecord;
  return { swap, record, secret, went: inSats(BigInt(pays)) };
}

async function lightningToBitcoin(tour: Tour, by: 'client' | 'both'): Promise<Balance> {
  const { node, say } = tour;
  const { swap, record, secret, went } = await funded(tour);
  const account = await bitcoinOf(tour);
  const { txids, fee } =
    by === 'client'
      ? await account.claimAggregate(record, secret)
      : await account.claimTogether(record, secret, (wish) => cosign(node, record, { secret }, wish));
  say(`  claims by ${txids.join(' and ')}, for a fee of ${fee} sats`);
  await swap.until('serverredeemed');
  await mining(node, Promise.resolve());
  const came = inSats(await account.balance());
  exactly(came.units, BigInt(record.target_amount) - fee, 'On chain');
  return { went, came };
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
  swaps: [
    { name: 'Lightning to Bitcoin', run: (tour) => lightningToBitcoin(tour, 'client') },
    { name: 'Lightning to Bitcoin, claimed by both', run: (tour) => lightningToBitcoin(tour, 'both') },
  ],
  refunds: [{ name: 'Lightning to Bitcoin, never claimed: the payment goes back', run: neverClaimed }],
};
