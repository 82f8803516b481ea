import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import { inSats } from './amount.ts';
import { bitcoinOf, medianTimeAbove, mining } from './blocks.ts';
import { follow, type Followed } from './follow.ts';
import { inForm, type Form } from './htlc-form.ts';
import { ask } from './http.ts';
import { offered } from './offered.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

interface Opened {
  readonly swap: Followed;
  readonly record: BitcoinArkadeRecord;
  readonly secret: Uint8Array;
}

function hash160Of(secret: Uint8Array): string {
  return createHash('ripemd160').update(createHash('sha256').update(secret).digest()).digest('hex');
}

/** A swap whose HTLC the client has found to be what its terms make. */
async function opened({ node, client, say }: Tour, form: Form = 'set'): Promise<Opened> {
  await offered(node, { source: 'Bitcoin', target: 'Arkade' });
  const secret = randomBytes(32);
  const create = () =>
    ask(node, 'POST', '/swap/bitcoin/arkade', {
      arkade_htlc_script_version: 1,
      btc_htlc_script_version: 1,
      claim_pk: client.publicKey,
      refund_pk: client.publicKey,
      hash_lock: hash160Of(secret),
      sats_receive: 2 * amount,
      target_arkade_address: client.address,
      user_id: randomUUID(),
    });
  const record = (await inForm(node, form, create)) as unknown as BitcoinArkadeRecord;
  client.bitcoin.check(record);
  say(`  the HTLC is written as ${record.btc_htlc_witness_script === undefined ? 'P2TR' : 'P2WSH'}`);
  return { swap: follow(node, record.id, say), record, secret };
}

/** Out of the faucet, which stands for the client's wallet. */
async function pay({ node, say }: Tour, { record, swap }: Opened, sats = Number(record.source_amount)): Promise<void> {
  await swap.until('pending', 'expired');
  say(`  sends ${sats} sats on chain for ${record.target_amount} sats on Arkade`);
  await ask(node, 'POST', '/sandbox/bitcoin/faucet', { address: record.btc_htlc_address, amount: sats });
}

async function locked(tour: Tour, form?: Form): Promise<Opened> {
  const all = await opened(tour, form);
  await pay(tour, all);
  await all.swap.until('clientfundingseen', 'clientfunded', 'serverfunded');
  await mining(tour.node, all.swap.until('serverfunded'));
  return all;
}

async function bitcoinToArkade(tour: Tour, form: Form): Promise<Balance> {
  const { node, client } = tour;
  const { swap, record, secret } = await locked(tour, form);
  await client.claim({ ...record, address: record.arkade_vhtlc_address }, secret);
  await mining(node, swap.until('serverredeemed'));
  const came = await client.balance();
  exactly(came, BigInt(record.target_amount), 'On Arkade');
  return { went: inSats(BigInt(record.source_amount)), came: inSats(came) };
}

/** The client needs nobody for it. */
async function refund(tour: Tour, { record, swap }: Opened, sats: bigint, end: string): Promise<Balance> {
  const { node, say } = tour;
  await medianTimeAbove(node, record.btc_refund_locktime);
  const account = await bitcoinOf(tour);
  const { txids, fee } = await account.refund(record);
  say(`  takes it back by ${txids.join(' and ')}, for a fee of ${fee} sats`);
  await mining(node, swap.until(end));
  const came = inSats(await account.balance());
  exactly(came.units, sats - fee, 'On chain');
  return { went: inSats(sats), came };
}

async function neverClaimed(tour: Tour): Promise<Balance> {
  const { say, past } = tour;
  const all = await locked(tour);
  const { record, swap } = all;
  say('  claims nothing, and lets the time of both locks run');
  await past(record.btc_refund_locktime + 60);
  await swap.until('clientfundedserverrefunded');
  return refund(tour, all, BigInt(record.source_amount), 'clientrefundedserverrefunded');
}

async function paidShort(tour: Tour): Promise<Balance> {
  const { node, past } = tour;
  const all = await opened(tour);
  const sats = Number(all.record.source_amount) - 1;
  await pay(tour, all, sats);
  await mining(node, all.swap.until('clientinvalidfunded'));
  await past(all.record.btc_refund_locktime + 60);
  return refund(tour, all, BigInt(sats), 'clientrefunded');
}

async function paidLate(tour: Tour): Promise<Balance> {
  const { node, past, say } = tour;
  const all = await opened(tour);
  await all.swap.until('pending');
  say('  lets the time for its payment run');
  await past(all.record.vhtlc_refund_locktime + 60);
  await all.swap.until('expired');
  await pay(tour, all);
  await mining(node, all.swap.until('clientfundedtoolate'));
  await past(all.record.btc_refund_locktime + 60);
  return refund(tour, all, BigInt(all.record.source_amount), 'clientrefunded');
}

export const bitcoinArkadeStops: Stops = {
  swaps: [
    { name: 'Bitcoin to Arkade', run: (tour) => bitcoinToArkade(tour, 'set') },
    { name: 'Bitcoin to Arkade, by an HTLC in its other form', run: (tour) => bitcoinToArkade(tour, 'other') },
  ],
  refunds: [
    { name: 'Bitcoin to Arkade, never claimed: both locks go back', run: neverClaimed },
    { name: 'Bitcoin to Arkade, one sat too little: refunded by the client alone', run: paidShort },
    { name: 'Bitcoin to Arkade, paid too late: refunded by the client alone', run: paidLate },
  ],
};
