import { arkade, began, btc, digits, key, serviceKey, userId, vhtlc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 1,
    claim_pk: key,
    refund_pk: key,
    hash_lock: digits.slice(0, 40),
    sats_receive: 50_000,
    target_arkade_address: arkade,
    user_id: userId,
  },
  reply: {
    ...began,
    ...vhtlc,
    fee_sats: 285,
    source_amount: '50285',
    source_token: btc('Bitcoin'),
    target_amount: '50000',
    target_token: btc('Arkade'),
    receiver_pk: key,
    sender_pk: serviceKey,
    arkade_vhtlc_address: arkade,
    btc_htlc_address: 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
    btc_htlc_script_version: 1,
    btc_refund_locktime: 1_795_441_380,
    hash_lock: digits.slice(0, 40),
    sats_receive: 50_000,
    asset_amount: 50_285,
    server_vhtlc_pk: serviceKey,
    target_arkade_address: arkade,
  },
} as const;
