import { bitcoinLightningRecord } from '../../../contract/directions/bitcoin-lightning.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sats } from '../../../domain/money.ts';
import { isRead, type Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import type { PaidLeg } from '../../halves/bitcoin/fund/terms.ts';
import { ownHtlc, wrongRefundHeight, wrongSource } from '../../htlc.ts';
import { payoutLeg, wrongPayout } from '../../payout-invoice.ts';
import type { Deal, LightningLeg } from '../../terms.ts';
import { distrust, frameOf, objection, read, wrongAmounts, wrongFrame, wrongHash } from '../../verify.ts';
import type { TakeBitcoinLightningTerms } from './terms.ts';

/** Where we would send bitcoin, or the sentence for which nobody is shown the address. */
export function verifyBitcoinLightning(
  given: unknown,
  terms: TakeBitcoinLightningTerms,
  now: Clocks,
): Deal<PaidLeg, LightningLeg> | Refusal {
  const record = read(bitcoinLightningRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin chain, by whose height our refund is judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Bitcoin'), target: bitcoinOn('Lightning') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    wrongSource(record, terms) ??
    wrongPayout(record, terms, now) ??
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, the invoice asks for ${terms.targetAmount}`,
    ) ??
    wrongRefundHeight(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const source = ownHtlc(record, terms, { amount: sats(BigInt(record.source_amount)), now });
  return isRefusal(source) ? source : { ...frameOf(record), source, target: payoutLeg(terms) };
}
