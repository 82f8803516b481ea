import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { LightningEvmRecord } from '../../engine/contract/directions/lightning-evm.ts';
import { inSats } from './amount.ts';
import { claimGasless } from './claim-gasless.ts';
import { withoutBlocks } from './blocks.ts';
import { chainOf, ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

const id = '137';

/** A swap whose lock stands on the chain. */
async function funded(tour: Tour) {
  const { node, client, say } = tour;
  const chain = await chainOf(tour, 'target', id);
  const token = chain.token('WBTC');
  const secret = randomBytes(32);
  const destination = `0x${randomBytes(20).toString('hex')}`;
  const created = await ask(node, 'POST', '/swap/lightning/evm', {
    claiming_address: client.evm.address,
    evm_chain_id: Number(id),
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    target_address: destination,
    token_address: token.address,
    user_id: randomUUID(),
    amount_in: 2 * amount,
  });
  const pays = textOf(created, 'source_amount');
  say(`  pays ${pays} sats over Lightning for ${ofToken(token, textOf(created, 'target_amount'))}`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/lightning/pay', { bolt11: textOf(created, 'bolt11_invoice') });
  const record = (await withoutBlocks(node, swap.until('serverfunded'))) as unknown as LightningEvmRecord;
  return { chain, token, swap, record, secret, destination, went: inSats(BigInt(pays)) };
}

async function lightningToEvm(tour: Tour): Promise<Balance> {
  const { chain, token, swap, record, secret, destination, went } = await funded(tour);
  await claimGasless(tour, record, { secret, destination });
  await swap.until('serverredeemed');
  const came = await chain.balance(token, destination);
  exactly(came.units, BigInt(record.target_amount), 'At the destination');
  return { went, came };
}

/** The service takes its lock back first, and only then gives the held payment back. */
async function neverClaimed(tour: Tour): Promise<Balance> {
  const { swap, record } = await funded(tour);
  tour.say('  claims nothing, and lets the time of the lock run');
  await tour.past(record.evm_refund_locktime + 60);
  await swap.until('clientrefundedserverrefunded');
  return null;
}

export const lightningEvmStops: Stops = {
  swaps: [{ name: 'Lightning to WBTC, claimed by the node', run: lightningToEvm }],
  refunds: [{ name: 'Lightning to WBTC, never claimed: the payment goes back', run: neverClaimed }],
};
