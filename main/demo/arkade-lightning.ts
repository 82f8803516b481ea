import { randomUUID } from 'node:crypto';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { inSats } from './amount.ts';
import { follow } from './follow.ts';
import { refundAlone, refundInBatch, refundTogether } from './from-arkade.ts';
import { ask, textOf, type Json } from './http.ts';
import { heldInvoice, paid, refused } from './payment.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

async function paidInvoice({ node }: Tour): Promise<Json> {
  const { bolt11 } = await ask(node, 'POST', '/sandbox/lightning/invoice', { amount_sats: amount });
  return { lightning_invoice: bolt11 };
}

async function paidAddress({ node, say }: Tour): Promise<Json> {
  const { lightning } = await ask(node, 'GET', '/sandbox');
  const payee = textOf(lightning as Json, 'lightningAddress');
  say(`  the payee is ${payee}`);
  return { lightning_address: payee, target_amount_sats: amount };
}

/** A swap whose VHTLC the client has paid. */
async function funded({ node, client, say }: Tour, payee: Json) {
  const created = await ask(node, 'POST', '/swap/arkade/lightning', {
    arkade_htlc_script_version: 1,
    refund_pk: client.publicKey,
    user_id: randomUUID(),
    ...payee,
  });
  const pays = textOf(created, 'source_amount');
  say(`  sends ${pays} sats on Arkade for a payment of ${textOf(created, 'target_amount')} sats`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  const { txid, vout } = await ask(node, 'POST', '/sandbox/arkade/faucet', {
    address: textOf(created, 'arkade_vhtlc_address'),
    amount: Number(pays),
  });
  const record = created as unknown as ArkadeLightningRecord;
  return { swap, record, coin: `${String(txid)}:${String(vout)}`, went: inSats(BigInt(pays)) };
}

async function arkadeToLightning(tour: Tour, payee: (tour: Tour) => Promise<Json>): Promise<Balance> {
  const { swap, went } = await funded(tour, await payee(tour));
  return { went, came: await paid(tour.node, await swap.until('serverredeemed')) };
}

type Funded = Awaited<ReturnType<typeof funded>>;

/** The payee does not take the payment; the client takes its coin back in its own way. */
async function unpaid(tour: Tour, refund: (all: Funded) => Promise<unknown>): Promise<Balance> {
  const { bolt11, hash } = await heldInvoice(tour.node);
  const all = await funded(tour, { lightning_invoice: bolt11 });
  await refused(tour, { swap: all.swap, hash });
  await refund(all);
  await all.swap.until('clientrefunded');
  const came = inSats(await tour.client.balance());
  exactly(came.units, all.went.units, 'On Arkade');
  return { went: all.went, came };
}

const coinOf = ({ record, coin }: Funded) => ({ ...record, coin, address: record.arkade_vhtlc_address });

function refundedTogether(tour: Tour): Promise<Balance> {
  return unpaid(tour, (all) => refundTogether(tour, '/api/swap/arkade-lightning', coinOf(all)));
}

function refundedInBatch(tour: Tour): Promise<Balance> {
  return unpaid(tour, (all) => refundInBatch(tour, '/api/swap/arkade-evm', coinOf(all)));
}

function refundedAlone(tour: Tour): Promise<Balance> {
  return unpaid(tour, (all) => refundAlone(tour, coinOf(all)));
}

export const arkadeLightningStops: Stops = {
  swaps: [
    { name: 'Arkade to Lightning', run: (tour) => arkadeToLightning(tour, paidInvoice) },
    { name: 'Arkade to a Lightning address', run: (tour) => arkadeToLightning(tour, paidAddress) },
  ],
  refunds: [
    { name: 'Arkade to Lightning, not paid: refunded by both', run: refundedTogether },
    { name: 'Arkade to Lightning, not paid, expired: refunded by both in a batch', run: refundedInBatch },
    { name: 'Arkade to Lightning, not paid: refunded by the client alone', run: refundedAlone },
  ],
};
