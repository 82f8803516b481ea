import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { inSats } from './amount.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

async function lightningToArkade({ node, client, say }: Tour): Promise<Balance> {
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
  const locked = (await swap.until('serverfunded')) as unknown as LightningArkadeRecord;
  await client.claim({ ...locked, address: locked.arkade_vhtlc_address }, secret);
  await swap.until('serverredeemed');
  const came = await client.balance();
  exactly(came, BigInt(gets), 'On Arkade');
  return { went: inSats(BigInt(pays)), came: inSats(came) };
}

export const lightningArkadeStops: Stops = { swaps: [{ name: 'Lightning to Arkade', run: lightningToArkade }] };
