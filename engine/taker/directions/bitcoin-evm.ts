import { bitcoinEvmRecord } from '../../contract/directions/bitcoin-evm.ts';
import { toHex } from '../../domain/hex.ts';
import { priceToEvm, requestToEvm } from '../evm/order-to.ts';
import { fromBitcoin } from '../sides/bitcoin.ts';
import { toEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import { wrongHashes } from '../verify.ts';

/** We pay an HTLC on the Bitcoin chain, the provider locks tokens, and we claim them with a secret of ours. */
export const takenBitcoinEvm = taken('bitcoin-evm', bitcoinEvmRecord, {
  // Our key is in the script alone, which is derived again with it.
  ours: 'evm_hash_lock',
  price: priceToEvm,
  source: fromBitcoin('btc_server_pk'),
  target: toEvm,
  request: (t) => ({ btc_htlc_script_version: 1, refund_pk: toHex(t.key), ...requestToEvm(t) }),
  wrong: wrongHashes,
});
