import { evmLightningRecord } from '../../../contract/directions/evm-lightning.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { lockOf, peggedInfo, wrongLock, wrongPrice, wrongRefundTime } from '../../evm/verify.ts';
import { payoutLeg, wrongPayout } from '../../payout-invoice.ts';
import type { Deal, LightningLeg } from '../../terms.ts';
import { distrust, frameOf, objection, read, wrongFrame, wrongHash } from '../../verify.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

/** What we would lock, or the sentence for which nothing is signed. */
export function verifyEvmLightning(
  given: unknown,
  terms: TakeEvmLightningTerms,
  now: Clocks,
): Deal<EvmLeg, LightningLeg> | Refusal {
  const record = read(evmLightningRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Lightning') }) ??
    wrongLock(record, terms) ??
    wrongPrice(record, terms) ??
    wrongHash(record, terms) ??
    wrongPayout(record, terms, now) ??
    objection(!record.lightning_payment_settled, 'it says that the invoice is paid although nothing was locked') ??
    wrongRefundTime(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const source = lockOf(record, terms);
  if (isRefusal(source)) return source;
  return {
    ...frameOf(record),
    source,
    target: payoutLeg(terms),
  };
}
