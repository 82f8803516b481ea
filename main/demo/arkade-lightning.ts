import { randomUUID } from 'node:crypto';
import { follow } from './follow.ts';
import { ask, textOf, type Json } from './http.ts';
import { amount, patienceMs, type Stop, type Tour } from './tour.ts';

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

async function arkadeToLightning(tour: Tour, payee: (tour: Tour) => Promise<Json>): Promise<void> {
  const { node, client, say } = tour;
  const created = await ask(node, 'POST', '/swap/arkade/lightning', {
    arkade_htlc_script_version: 1,
    refund_pk: client.publicKey,
    user_id: randomUUID(),
    ...(await payee(tour)),
  });
  say(
    `  sends ${textOf(created, 'source_amount')} sats on Arkade for a payment of ${textOf(created, 'target_amount')} sats`,
  );
  const swap = follow(node, textOf(created, 'id'), say, patienceMs);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/arkade/faucet', {
    address: textOf(created, 'arkade_vhtlc_address'),
    amount: Number(textOf(created, 'source_amount')),
  });
  await swap.until('serverredeemed');
}

export const arkadeLightningStops: readonly Stop[] = [
  { name: 'Arkade to Lightning', run: (tour) => arkadeToLightning(tour, paidInvoice) },
  { name: 'Arkade to a Lightning address', run: (tour) => arkadeToLightning(tour, paidAddress) },
];
