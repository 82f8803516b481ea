import { arkadeLightningRecord } from '../../../contract/directions/arkade-lightning.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sats } from '../../../domain/money.ts';
import type { Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { payoutLeg, wrongPayout } from '../../payout-invoice.ts';
import type { ArkadeLeg, Deal, LightningLeg } from '../../terms.ts';
import {
  deriveVhtlc,
  distrust,
  frameOf,
  objection,
  read,
  wrongAmounts,
  wrongFrame,
  wrongHash,
  wrongRefundTime,
  wrongSender,
} from '../../verify.ts';
import type { TakeArkadeLightningTerms } from './terms.ts';

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export function verifyArkadeLightning(
  given: unknown,
  terms: TakeArkadeLightningTerms,
  now: Clocks,
): Deal<ArkadeLeg, LightningLeg> | Refusal {
  const record = read(arkadeLightningRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: bitcoinOn('Lightning') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    wrongSender(record, terms) ??
    wrongPayout(record, terms, now) ??
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, the invoice asks for ${terms.targetAmount}`,
    ) ??
    wrongRefundTime(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const leg = deriveVhtlc(record, terms, 'sender');
  if (isRefusal(leg)) return leg;
  return {
    ...frameOf(record),
    source: { on: 'arkade', amount: sats(BigInt(record.source_amount)), ...leg },
    target: payoutLeg(terms),
  };
}
