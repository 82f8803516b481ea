import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { BitcoinEvmRecord } from '../../engine/contract/directions/bitcoin-evm.ts';
import { inSats } from './amount.ts';
import { bitcoinOf, medianTimeAbove, mining } from './blocks.ts';
import { claimGasless } from './claim-gasless.ts';
import { chainOf, ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { ask } from './http.ts';
import { offered } from './offered.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

const id = '137';

/** The HTLC as a swap to Arkade says it. */
function htlcIn(record: BitcoinEvmRecord) {
  return { ...record, hash_lock: record.btc_hash_lock, server_vhtlc_pk: `02${record.btc_server_pk}` };
}

/** A swap whose lock stands on the chain, for a coin that the faucet paid: it stands for the client's wallet. */
async function funded(tour: Tour) {
  const { node, client, say } = tour;
  await offered(node, { source: 'Bitcoin', target: id });
  const chain = await chainOf(tour, 'target', id);
  const token = chain.token('WBTC');
  const secret = randomBytes(32);
  const destination = `0x${randomBytes(20).toString('hex')}`;
  const created = (await ask(node, 'POST', '/swap/bitcoin/evm', {
    btc_htlc_script_version: 1,
    claiming_address: client.evm.address,
    evm_chain_id: Number(id),
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    refund_pk: client.publicKey,
    target_address: destination,
    token_address: token.address,
    user_id: randomUUID(),
    amount_in: 2 * amount,
  })) as unknown as BitcoinEvmRecord;
  client.bitcoin.check(htlcIn(created));
  const pays = Number(created.source_amount);
  say(`  sends ${pays} sats on chain for ${ofToken(token, created.target_amount)}`);
  const swap = follow(node, created.id, say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/bitcoin/faucet', { address: created.btc_htlc_address, amount: pays });
  const record = (await mining(node, swap.until('serverfunded'))) as unknown as BitcoinEvmRecord;
  return { chain, token, swap, record, secret, destination, went: inSats(BigInt(pays)) };
}

async function bitcoinToEvm(tour: Tour): Promise<Balance> {
  const { node } = tour;
  const { chain, token, swap, record, secret, destination, went } = await funded(tour);
  await claimGasless(tour, record, { secret, destination });
  await mining(node, swap.until('serverredeemed'));
  const came = await chain.balance(token, destination);
  exactly(came.units, BigInt(record.target_amount), 'At the destination');
  return { went, came };
}

/** The service takes its lock back; the client needs nobody for its own. */
async function neverClaimed(tour: Tour): Promise<Balance> {
  const { node, say, past } = tour;
  const { swap, record, went } = await funded(tour);
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
  swaps: [{ name: 'Bitcoin to WBTC, claimed by the node', run: bitcoinToEvm }],
  refunds: [{ name: 'Bitcoin to WBTC, never claimed: both locks go back', run: neverClaimed }],
};
