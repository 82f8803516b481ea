import type { BitcoinEvmRecord } from '../../engine/contract/directions/bitcoin-evm.ts';
import { inSats } from './amount.ts';
import { bitcoinOf, medianTimeAbove, mining } from './blocks.ts';
import { ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { ask } from './http.ts';
import { offered } from './offered.ts';
import { claimed, ordered, swapsTo, type Wish } from './to-evm.ts';
import { exactly, type Balance, type Stops, type Tour } from './tour.ts';

/** The HTLC as a swap to Arkade says it. */
function htlcIn(record: BitcoinEvmRecord) {
  return { ...record, hash_lock: record.btc_hash_lock, server_vhtlc_pk: `02${record.btc_server_pk}` };
}

/** A swap whose lock stands on the chain, for a coin that the faucet paid: it stands for the client's wallet. */
async function funded(tour: Tour, wish: Wish) {
  const { node, client, say } = tour;
  await offered(node, { source: 'Bitcoin', target: wish.chain });
  const { body, ...order } = await ordered(tour, wish);
  const created = (await ask(node, 'POST', '/swap/bitcoin/evm', {
    ...body,
    btc_htlc_script_version: 1,
    refund_pk: client.publicKey,
  })) as unknown as BitcoinEvmRecord;
  client.bitcoin.check(htlcIn(created));
  const pays = Number(created.source_amount);
  say(`  sends ${pays} sats on chain for ${ofToken(order.token, created.target_amount)}`);
  const swap = follow(node, created.id, say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/bitcoin/faucet', { address: created.btc_htlc_address, amount: pays });
  const record = (await mining(node, swap.until('serverfunded'))) as unknown as BitcoinEvmRecord;
  const ended = () => mining(node, swap.until('serverredeemed'));
  return { ...order, swap, record, went: inSats(BigInt(pays)), ended };
}

async function bitcoinToEvm(tour: Tour, wish: Wish): Promise<Balance> {
  return claimed(tour, wish.by, await funded(tour, wish));
}

/** The service takes its lock back; the client needs nobody for its own. */
async function neverClaimed(tour: Tour): Promise<Balance> {
  const { node, say, past } = tour;
  const { swap, record, went } = await funded(tour, { chain: '137', symbol: 'WBTC', by: 'node' });
  say('  claims nothing, and lets the time of both locks run');
  await past(record.btc_refund_locktime + 60);
  await swap.until('clientfundedserverrefunded');
  await medianTimeAbove(node, record.btc_refund_locktime);
  const account = await bitcoinOf(tour);
  const { txids, fee } = await account.refund(htlcIn(record));
  say(`  takes it back by ${txids.join(' and ')}, for a fee of ${fee} sats`);
  await mining(node, swap.until('clientrefundedserverrefunded'));
  const came = inSats(await account.balance());
  exactly(came.units, went.units - fee, 'On chain');
  return { went, came };
}

export const bitcoinEvmStops: Stops = {
  swaps: swapsTo('Bitcoin', bitcoinToEvm),
  refunds: [{ name: 'Bitcoin to WBTC, never claimed: both locks go back', run: neverClaimed }],
};
