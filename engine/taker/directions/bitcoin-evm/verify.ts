import { bitcoinEvmRecord } from '../../../contract/directions/bitcoin-evm.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { isRead, type Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { offeredLock, wantedInfo, wrongLockTime, wrongOffer } from '../../evm/offer.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import type { PaidLeg } from '../../halves/bitcoin/fund/terms.ts';
import { paidLegOf, paidWithin, wholeKey, wrongHtlc, wrongRefundTime } from '../../paid-htlc.ts';
import type { Deal } from '../../terms.ts';
import { distrust, objection, oneFeeFrameOf, read, wrongFrame, wrongHash } from '../../verify.ts';
import type { TakeBitcoinEvmTerms } from './terms.ts';

/** Where we would send bitcoin, or the sentence for which nobody is shown the address. */
export function verifyBitcoinEvm(
  given: unknown,
  terms: TakeBitcoinEvmTerms,
  now: Clocks,
): Deal<PaidLeg, EvmLeg> | Refusal {
  const record = read(bitcoinEvmRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin clock, by which its locktime is judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Bitcoin'), target: wantedInfo(terms) }) ??
    wrongOffer(record, terms) ??
    wrongHash({ hash_lock: record.evm_hash_lock }, terms) ??
    objection(
      record.btc_hash_lock.toLowerCase() === toHex(hash160OfSha256(terms.hash)),
      'its hash on the Bitcoin chain is not ours',
    ) ??
    wrongHtlc(record) ??
    // However late in the window we pay, and however long our coin takes to be deep enough.
    wrongLockTime(record, terms, now, paidWithin(record, terms)) ??
    wrongRefundTime(record, { name: 'lock', end: record.evm_refund_locktime }, terms, now);
  if (wrong !== null) return distrust(wrong);
  const target = offeredLock(record, terms);
  if (isRefusal(target)) return target;
  const source = paidLegOf(record, terms, wholeKey(record.btc_server_pk), now);
  if (isRefusal(source)) return source;
  // The record has one field for all fees.
  return { ...oneFeeFrameOf(record), source, target };
}
