import { bitcoinEvmRecord } from '../../contract/directions/bitcoin-evm.ts';
import { toHex } from '../../domain/hex.ts';
import { offeredLock, wrongLockTime } from '../evm/offer.ts';
import { priceToEvm, requestToEvm } from '../evm/order-to.ts';
import { paidLegOf, paidWithin, wholeKey, wrongHtlc, wrongRefundTime } from '../paid-htlc.ts';
import { fromBitcoin } from '../sides/bitcoin.ts';
import { toEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import { dealt, wrongHashes } from '../verify.ts';

/** We pay an HTLC on the Bitcoin chain, the provider locks tokens, and we claim them with a secret of ours. */
export const takenBitcoinEvm = taken('bitcoin-evm', bitcoinEvmRecord, {
  // Our key is in the script alone, which is derived again with it.
  ours: 'evm_hash_lock',
  price: priceToEvm,
  source: fromBitcoin,
  target: toEvm,
  request: (t) => ({ btc_htlc_script_version: 1, refund_pk: toHex(t.key), ...requestToEvm(t) }),
  unread: 'the Bitcoin clock, by which its locktime is judged, cannot be read now',
  wrong: (record, terms, now) =>
    wrongHashes(record, terms) ??
    wrongHtlc(record) ??
    // However late in the window we pay, and however long our coin takes to be deep enough.
    wrongLockTime(record, terms, now, paidWithin(record, terms)) ??
    wrongRefundTime(record, { name: 'lock', end: record.evm_refund_locktime }, terms, now),
  deal: (record, terms, now) =>
    dealt(record, paidLegOf(record, terms, wholeKey(record.btc_server_pk), now), offeredLock(record, terms)),
});
