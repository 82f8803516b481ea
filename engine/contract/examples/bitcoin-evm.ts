import { account, began, btc, digits, evm, hash, key, pegged, serviceKey, userId, wbtc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    btc_htlc_script_version: 1,
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
    ...evm,
    fee_sats: 484,
    source_amount: '50000',
    source_token: btc('Bitcoin'),
    target_amount: '49516',
    target_token: pegged,
    evm_expected_sats: '49516',
    btc_hash_lock: digits.slice(0, 40),
    evm_hash_lock: hash,
    btc_htlc_address: 'bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297',
    btc_htlc_script_version: 1,
    btc_refund_locktime: 1_795_441_380,
    btc_server_pk: serviceKey.slice(2),
    target_evm_address: account,
  },
} as const;
