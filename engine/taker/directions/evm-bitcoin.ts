import { evmBitcoinRecord } from '../../contract/directions/evm-bitcoin.ts';
import { toHex } from '../../domain/hex.ts';
import { priceFromEvm, requestFromEvm } from '../evm/order-from.ts';
import { toBitcoinByTime } from '../sides/bitcoin-by-time.ts';
import { fromEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import { wrongHashes } from '../verify.ts';

/**
 * Tokens of ours are locked by our signature, the provider pays on the Bitcoin chain, and our claim there shows it the
 * secret.
 */
export const takenEvmBitcoin = taken('evm-bitcoin', evmBitcoinRecord, {
  ours: 'btc_user_claim_pk',
  price: priceFromEvm,
  source: fromEvm,
  target: toBitcoinByTime,
  request: (t) => ({
    btc_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    amount_out: Number(t.targetAmount),
    ...requestFromEvm(t),
  }),
  wrong: wrongHashes,
});
