import { arkade, began, btc, hash, invoice, key, serviceKey, userId, vhtlc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: { arkade_htlc_script_version: 1, refund_pk: key, user_id: userId, lightning_invoice: invoice },
  reply: {
    ...began,
    ...vhtlc,
    fee_sats: 625,
    network_fee_sats: 10,
    source_amount: '250635',
    source_token: btc('Arkade'),
    target_amount: '250000',
    target_token: btc('Lightning'),
    receiver_pk: serviceKey,
    sender_pk: key,
    arkade_vhtlc_address: arkade,
    client_lightning_invoice: invoice,
    hash_lock: hash,
    invoice_expires_at: 1_795_398_180,
  },
} as const;
