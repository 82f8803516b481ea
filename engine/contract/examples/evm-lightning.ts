import { account, began, btc, fromEvm, hash, invoice, pegged, userId, wbtc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    evm_chain_id: 137,
    token_address: wbtc,
    user_address: account,
    user_id: userId,
    lightning_invoice: invoice,
    gasless: true,
  },
  reply: {
    ...began,
    ...fromEvm,
    fee_sats: 625,
    network_fee_sats: 49,
    source_amount: '250674',
    source_token: pegged,
    target_amount: '250000',
    target_token: btc('Lightning'),
    evm_expected_sats: '250674',
    client_lightning_invoice: invoice,
    hash_lock: hash,
    invoice_expires_at: 1_795_398_180,
    lightning_payment_settled: false,
  },
} as const;
