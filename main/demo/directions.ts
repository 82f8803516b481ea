import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import type { ClientSide } from '../../engine/index.ts';
import { follow } from './follow.ts';
import { ask, textOf, type Json } from './http.ts';
import type { DemoNode } from './node.ts';

export interface Tour {
  readonly node: DemoNode;
  readonly client: ClientSide;
  readonly say: (line: string) => void;
}

const patienceMs = 90_000;
const amount = 25_000;

/** One swap of a direction from its creation to `serverredeemed`. */
export const directions: readonly { readonly name: string; run(tour: Tour): Promise<void> }[] = [
  { name: 'Lightning to Arkade', run: lightningToArkade },
  { name: 'Arkade to Lightning', run: (tour) => arkadeToLightning(tour, paidInvoice) },
  { name: 'Arkade to a Lightning address', run: (tour) => arkadeToLightning(tour, paidAddress) },
];

async function lightningToArkade({ node, client, say }: Tour): Promise<void> {
  const secret = randomBytes(32);
  const created = await ask(node, 'POST', '/swap/lightning/arkade', {
    arkade_htlc_script_version: 1,
    claim_pk: client.publicKey,
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    target_arkade_address: client.address,
    user_id: randomUUID(),
    source_amount_sats: amount,
  });
  say(
    `  pays ${textOf(created, 'source_amount')} sats over Lightning for ${textOf(created, 'target_amount')} sats on Arkade`,
  );
  const swap = follow(node, textOf(created, 'id'), say, patienceMs);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/lightning/pay', { bolt11: textOf(created, 'bolt11_invoice') });
  const locked = await swap.until('serverfunded');
  await client.claim(locked as unknown as LightningArkadeRecord, secret);
  await swap.until('serverredeemed');
}

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
