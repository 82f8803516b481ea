import { bitcoinEvmRecord } from '../../contract/directions/bitcoin-evm.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { offeredLock, wantedInfo, wrongLockTime, wrongOffer } from '../evm/offer.ts';
import { requestToEvm, toEvm } from '../evm/order-to.ts';
import { toEvmOrderFields } from '../evm/shape.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { fundOnBitcoin } from '../halves/bitcoin/fund/half.ts';
import type { PaidLeg } from '../halves/bitcoin/fund/terms.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import { paidLegOf, paidWithin, wholeKey, wrongHtlc, wrongRefundTime } from '../paid-htlc.ts';
import { orderFields } from '../shape.ts';
import { agreed, inPrice } from '../sides/agreed.ts';
import { fromBitcoin } from '../sides/bitcoin.ts';
import { verifiedByChain } from '../verified.ts';
import { dealt, wrongFrame, wrongHashes } from '../verify.ts';
import { coinWindow } from '../window.ts';

const fields = { ...orderFields, ...toEvmOrderFields };
export type TakeBitcoinEvmTerms = ValueOf<typeof fields>;

/** Where we would send bitcoin, or the sentence for which nobody is shown the address. */
export const verifyBitcoinEvm = verifiedByChain(
  bitcoinEvmRecord,
  'the Bitcoin clock, by which its locktime is judged, cannot be read now',
  {
    wrong: (record, terms: TakeBitcoinEvmTerms, now) =>
      wrongFrame(record, terms, { source: bitcoinOn('Bitcoin'), target: wantedInfo(terms) }) ??
      wrongOffer(record, terms) ??
      wrongHashes(record, terms) ??
      wrongHtlc(record) ??
      // However late in the window we pay, and however long our coin takes to be deep enough.
      wrongLockTime(record, terms, now, paidWithin(record, terms)) ??
      wrongRefundTime(record, { name: 'lock', end: record.evm_refund_locktime }, terms, now),
    deal(record, terms, now) {
      const source = paidLegOf(record, terms, wholeKey(record.btc_server_pk), now);
      return dealt(record, source, offeredLock(record, terms));
    },
  },
);

/** We pay an HTLC on the Bitcoin chain, the provider locks tokens, and we claim them with a secret of ours. */
export const takenBitcoinEvm = clientOf<TakeBitcoinEvmTerms, PaidLeg, EvmLeg>({
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOnBitcoin,
  claim: claimOnEvm,
  ...agreed('bitcoin-evm', {
    record: bitcoinEvmRecord,
    // Our key is in the script alone, which is derived again with it.
    ours: 'evm_hash_lock',
    price: toEvm,
    source: fromBitcoin,
    target: inPrice,
  }),
  request: (t) => ({ btc_htlc_script_version: 1, refund_pk: toHex(t.key), ...requestToEvm(t) }),
  verify: verifyBitcoinEvm,
  window: coinWindow,
});
