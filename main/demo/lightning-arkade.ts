import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { follow } from './follow.ts';
import { ask, textOf } from './http.ts';
import { amount, patienceMs, type Stop, type Tour } from './tour.ts';

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

export const lightningArkadeStops: readonly Stop[] = [{ name: 'Lightning to Arkade', run: lightningToArkade }];
