import { arkade, began, btc, hash, invoice, key, serviceKey, userId, vhtlc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    arkade_htlc_script_version: 1,
    claim_pk: key,
    hash_lock: hash,
    target_arkade_address: arkade,
    user_id: userId,
    source_amount_sats: 50_000,
    invoice_description: 'Coffee',
  },
  reply: {
    ...began,
    ...vhtlc,
    fee_sats: 125,
    network_fee_sats: 0,
    source_amount: '50000',
    source_token: btc('Lightning'),
    target_amount: '49875',
    target_token: btc('Arkade'),
    receiver_pk: key,
    sender_pk: serviceKey,
    arkade_vhtlc_address: arkade,
    bolt11_invoice: invoice,
    hash_lock: hash,
    invoice_expires_at: 1_795_313_580,
    target_arkade_address: arkade,
  },
} as const;
