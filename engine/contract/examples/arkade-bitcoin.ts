import { arkade, began, btc, hash, key, serviceKey, userId, vhtlc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 2,
    claim_pk: key,
    refund_pk: key,
    hash_lock: hash,
    user_id: userId,
    source_amount_sats: 100_000,
  },
  reply: {
    ...began,
    ...vhtlc,
    fee_sats: 250,
    network_fee_sats: 675,
    source_amount: '100000',
    source_token: btc('Arkade'),
    target_amount: '99075',
    target_token: btc('Bitcoin'),
    receiver_pk: serviceKey,
    sender_pk: key,
    arkade_vhtlc_address: arkade,
    hash_lock: hash,
    btc_htlc_address: 'bc1p4qhhdtwp4r6zv5dyhznfhutr8h0htpl5a5vwznx0jdx9dd4txyeqn2vlvz',
    btc_htlc_script_version: 2,
    btc_refund_locktime: 925_072,
    btc_server_refund_pk: serviceKey,
    btc_user_claim_pk: key,
  },
} as const;
