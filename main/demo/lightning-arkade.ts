import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { inSats } from './amount.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

/** A swap whose VHTLC the service has locked. */
async function locked({ node, client, say }: Tour) {
  const secret = randomBytes(32);
  const created = await ask(node, 'POST', '/swap/lightning/arkade', {
    arkade_htlc_script_version: 1,
    claim_pk: client.publicKey,
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    target_arkade_address: client.address,
    user_id: randomUUID(),
    source_amount_sats: amount,
  });
  const [pays, gets] = [textOf(created, 'source_amount'), textOf(created, 'target_amount')];
  say(`  pays ${pays} sats over Lightning for ${gets} sats on Arkade`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/lightning/pay', { bolt11: textOf(created, 'bolt11_invoice') });
  const record = (await swap.until('serverfunded')) as unknown as LightningArkadeRecord;
  return { swap, record, secret, went: inSats(BigInt(pays)), gets: BigInt(gets) };
}

async function lightningToArkade(tour: Tour): Promise<Balance> {
  const { client } = tour;
  const { swap, record, secret, went, gets } = await locked(tour);
  await client.claim({ ...record, address: record.arkade_vhtlc_address }, secret);
  await swap.until('serverredeemed');
  const came = await client.balance();
  exactly(came, gets, 'On Arkade');
  return { went, came: inSats(came) };
}

/** The service takes its VHTLC back first, and only then gives the held payment back. */
async function neverClaimed(tour: Tour): Promise<Balance> {
  const { swap, record } = await locked(tour);
  tour.say('  claims nothing, and lets the time of the VHTLC run');
  await tour.past(record.vhtlc_refund_locktime + 60);
  await swap.until('clientrefundedserverrefunded');
  return null;
}

export const lightningArkadeStops: Stops = {
  swaps: [{ name: 'Lightning to Arkade', run: lightningToArkade }],
  refunds: [{ name: 'Lightning to Arkade, never claimed: the payment goes back', run: neverClaimed }],
};
