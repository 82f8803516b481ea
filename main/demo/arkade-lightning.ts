import { randomUUID } from 'node:crypto';
import { inSats } from './amount.ts';
import { follow } from './follow.ts';
import { ask, textOf, type Json } from './http.ts';
import { paid } from './payment.ts';
import { amount, type Balance, type Stops, type Tour } from './tour.ts';

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

async function arkadeToLightning(tour: Tour, payee: (tour: Tour) => Promise<Json>): Promise<Balance> {
  const { node, client, say } = tour;
  const created = await ask(node, 'POST', '/swap/arkade/lightning', {
    arkade_htlc_script_version: 1,
    refund_pk: client.publicKey,
    user_id: randomUUID(),
    ...(await payee(tour)),
  });
  const [pays, gets] = [textOf(created, 'source_amount'), textOf(created, 'target_amount')];
  say(`  sends ${pays} sats on Arkade for a payment of ${gets} sats`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/arkade/faucet', {
    address: textOf(created, 'arkade_vhtlc_address'),
    amount: Number(pays),
  });
  return { went: inSats(BigInt(pays)), came: await paid(node, await swap.until('serverredeemed')) };
}

export const arkadeLightningStops: Stops = {
  swaps: [
    { name: 'Arkade to Lightning', run: (tour) => arkadeToLightning(tour, paidInvoice) },
    { name: 'Arkade to a Lightning address', run: (tour) => arkadeToLightning(tour, paidAddress) },
  ],
};
