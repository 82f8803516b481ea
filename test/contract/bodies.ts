/** Create requests as a client may send them, one for each direction. */

export const bolt11 = `lnbcrt2500u1p${'q'.repeat(120)}`;
const key = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const hash = `0x${'ab'.repeat(32)}`;
const token = '0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6';
const account = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const arkade =
  'tark1qrunpzspjfvvxyzfx38ct7ya2g5m2vwggkpklxdsscqlzyauuqm0jqyh32xgapqkdeld42ryn4tpv6wx2z6w9yqwwzu600wxlwrrpezh7saegv';

export const bodies = {
  createLightningArkade: {
    arkade_htlc_script_version: 1,
    claim_pk: key,
    hash_lock: hash,
    target_arkade_address: arkade,
    user_id: 'wallet-1',
    source_amount_sats: 50_000,
  },
  createArkadeLightning: {
    arkade_htlc_script_version: 1,
    refund_pk: key,
    user_id: 'wallet-1',
    lightning_invoice: bolt11,
  },
  createBitcoinArkade: {
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 1,
    claim_pk: key,
    refund_pk: key,
    hash_lock: 'cd'.repeat(20),
    sats_receive: 40_000,
    target_arkade_address: arkade,
    user_id: 'wallet-1',
  },
  createArkadeEvm: {
    arkade_htlc_script_version: 1,
    claiming_address: account,
    evm_chain_id: 137,
    hash_lock: hash,
    refund_pk: key,
    target_address: account,
    token_address: token,
    user_id: 'wallet-1',
    amount_in: 50_000,
  },
  createEvmLightning: {
    evm_chain_id: 137,
    token_address: token,
    user_address: account,
    user_id: 'wallet-1',
    lightning_address: 'alice@example.com',
    amount_in: '1000000',
  },
  createEvmBitcoin: {
    btc_htlc_script_version: 1,
    claim_pk: key,
    evm_chain_id: 137,
    hash_lock: hash,
    token_address: token,
    user_address: account,
    user_id: 'wallet-1',
    amount_out: 40_000,
  },
} as const;
