import { began, btc, hash, invoice, key, serviceKey, userId } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: { btc_htlc_script_version: 2, refund_pk: key, lightning_invoice: invoice, user_id: userId },
  reply: {
    ...began,
    fee_sats: 625,
    network_fee_sats: 490,
    source_amount: '251115',
    source_token: btc('Bitcoin'),
    target_amount: '250000',
    target_token: btc('Lightning'),
    client_lightning_invoice: invoice,
    invoice_expires_at: 1_795_313_580,
    hash_lock: hash,
    btc_htlc_address: 'bc1p4qhhdtwp4r6zv5dyhznfhutr8h0htpl5a5vwznx0jdx9dd4txyeqn2vlvz',
    btc_htlc_script_version: 2,
    btc_refund_locktime: 925_182,
    btc_server_claim_pk: serviceKey,
    btc_user_refund_pk: key,
    btc_funding_confirmations: 1,
  },
} as const;
