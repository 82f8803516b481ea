import { account, began, btc, digits, fromEvm, hash, key, pegged, serviceKey, userId, wbtc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    btc_htlc_script_version: 1,
    claim_pk: key.slice(2),
    evm_chain_id: 137,
    hash_lock: hash,
    token_address: wbtc,
    user_address: account,
    user_id: userId,
    gasless: true,
    amount_out: 60_000,
  },
  reply: {
    ...began,
    ...fromEvm,
    fee_sats: 350,
    source_amount: '60350',
    source_token: pegged,
    target_amount: '60000',
    target_token: btc('Bitcoin'),
    evm_expected_sats: '60350',
    btc_hash_lock: digits.slice(0, 40),
    evm_hash_lock: hash,
    btc_htlc_address: 'bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297',
    btc_htlc_script_version: 1,
    btc_refund_locktime: 1_795_354_980,
    btc_server_refund_pk: serviceKey.slice(2),
    btc_user_claim_pk: key.slice(2),
  },
} as const;
