import { account, arkade, began, btc, evm, hash, key, pegged, serviceKey, userId, vhtlc, wbtc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    arkade_htlc_script_version: 1,
    claiming_address: account,
    evm_chain_id: 137,
    hash_lock: hash,
    refund_pk: key,
    target_address: account,
    token_address: wbtc,
    user_id: userId,
    amount_in: 50_000,
  },
  reply: {
    ...began,
    ...vhtlc,
    ...evm,
    fee_sats: 164,
    source_amount: '50000',
    source_token: btc('Arkade'),
    target_amount: '49836',
    target_token: pegged,
    evm_expected_sats: '49836',
    receiver_pk: serviceKey,
    sender_pk: key,
    btc_vhtlc_address: arkade,
    target_evm_address: account,
    hash_lock: hash,
  },
} as const;
