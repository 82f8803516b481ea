import { account, arkade, began, btc, fromEvm, hash, key, pegged, serviceKey, userId, vhtlc, wbtc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    arkade_htlc_script_version: 1,
    evm_chain_id: 137,
    hash_lock: hash,
    receiver_pk: key,
    target_address: arkade,
    token_address: wbtc,
    user_address: account,
    user_id: userId,
    gasless: true,
    amount_out: 50_000,
  },
  reply: {
    ...began,
    ...fromEvm,
    ...vhtlc,
    vhtlc_refund_locktime: 1_795_354_980,
    fee_sats: 135,
    source_amount: '50135',
    source_token: pegged,
    target_amount: '50000',
    target_token: btc('Arkade'),
    evm_expected_sats: '50135',
    receiver_pk: key,
    sender_pk: serviceKey,
    btc_vhtlc_address: arkade,
    hash_lock: hash,
    target_arkade_address: arkade,
  },
} as const;
