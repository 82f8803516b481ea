import { randomUUID } from 'node:crypto';
import type { BitcoinLightningRecord } from '../../engine/contract/directions/bitcoin-lightning.ts';
import { inSats } from './amount.ts';
import { bitcoinOf, mining, timeOfHeight } from './blocks.ts';
import { cosign } from './cosign.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { offered } from './offered.ts';
import { heldInvoice, openInvoice, paid, refused } from './payment.ts';
import { exactly, type Balance, type Stops, type Tour } from './tour.ts';

async function opened({ node, client, say }: Tour, bolt11?: string) {
  await offered(node, { source: 'Bitcoin', target: 'Lightning' });
  const record = (await ask(node, 'POST', '/swap/bitcoin/lightning', {
    btc_htlc_script_version: 2,
    refund_pk: client.publicKey,
    lightning_invoice: bolt11 ?? (await openInvoice(node)).bolt11,
    user_id: randomUUID(),
  })) as unknown as BitcoinLightningRecord;
  client.bitcoin.checkAggregate(record);
  return { record, swap: follow(node, record.id, say) };
}

/** Out of the faucet, which stands for the client's wallet. */
async function pay({ node, say }: Tour, record: BitcoinLightningRecord, sats: number): Promise<void> {
  say(`  sends ${sats} sats on chain for ${record.target_amount} sats over Lightning`);
  await ask(node, 'POST', '/sandbox/bitcoin/faucet', { address: record.btc_htlc_address, amount: sats });
}

async function bitcoinToLightning(tour: Tour): Promise<Balance> {
  const { node } = tour;
  const { record, swap } = await opened(tour);
  await pay(tour, record, Number(record.source_amount));
  const done = await mining(node, swap.until('serverredeemed'));
  const came = await paid(node, done);
  exactly(came.units, BigInt(textOf(done, 'target_amount')), 'Over Lightning');
  return { went: inSats(BigInt(record.source_amount)), came };
}

/** The client needs nobody for it. */
async function paidShort(tour: Tour): Promise<Balance> {
  const { node, past, say } = tour;
  const { record, swap } = await opened(tour);
  const sats = Number(record.source_amount) - 1;
  await pay(tour, record, sats);
  await mining(node, swap.until('clientinvalidfunded'));
  await past((await timeOfHeight(node, record.btc_refund_locktime)) + 60);
  const account = await bitcoinOf(tour);
  const { txids, fee } = await account.refundAggregate(record);
  say(`  takes it back by ${txids.join(' and ')}, for a fee of ${fee} sats`);
  await mining(node, swap.until('clientrefunded'));
  const came = inSats(await account.balance());
  exactly(came.units, BigInt(sats) - fee, 'On chain');
  return { went: inSats(BigInt(sats)), came };
}

/** The service signs that the coin goes back long before its height, once its payment has failed for good. */
async function refundedTogether(tour: Tour): Promise<Balance> {
  const { node, say } = tour;
  const { bolt11, hash } = await heldInvoice(node);
  const { record, swap } = await opened(tour, bolt11);
  await pay(tour, record, Number(record.source_amount));
  await mining(node, refused(tour, { swap, hash }));
  const account = await bitcoinOf(tour);
  const { txids, fee } = await account.refundTogether(record, (wish) => cosign(node, record, 'refund', wish));
  say(`  takes it back by the key of both, by ${txids.join(' and ')}, for a fee of ${fee} sats`);
  await mining(node, swap.until('clientrefunded'));
  const came = inSats(await account.balance());
  exactly(came.units, BigInt(record.source_amount) - fee, 'On chain');
  return { went: inSats(BigInt(record.source_amount)), came };
}

export const bitcoinLightningStops: Stops = {
  swaps: [{ name: 'Bitcoin to Lightning', run: bitcoinToLightning }],
  refunds: [
    { name: 'Bitcoin to Lightning, not paid: refunded by both', run: refundedTogether },
    { name: 'Bitcoin to Lightning, one sat too little: refunded by the client alone', run: paidShort },
  ],
};
