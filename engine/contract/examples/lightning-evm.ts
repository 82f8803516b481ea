import { account, began, btc, evm, hash, invoice, pegged, userId, wbtc } from './values.ts';

/** What a wallet sends to begin such a swap, and the record that it gets. */
export const example = {
  body: {
    claiming_address: account,
    evm_chain_id: 137,
    hash_lock: hash,
    target_address: account,
    token_address: wbtc,
    user_id: userId,
    amount_in: 50_000,
    invoice_description: 'Coffee',
  },
  reply: {
    ...began,
    ...evm,
    fee_sats: 164,
    source_amount: '50000',
    source_token: btc('Lightning'),
    target_amount: '49836',
    target_token: pegged,
    evm_expected_sats: '49836',
    bolt11_invoice: invoice,
    invoice_expires_at: 1_795_313_580,
    target_evm_address: account,
    hash_lock: hash,
  },
} as const;
