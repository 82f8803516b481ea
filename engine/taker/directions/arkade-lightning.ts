import { arkadeLightningRecord } from '../../contract/directions/arkade-lightning.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import type { Clocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { paidOverLightning } from '../halves/lightning/payout.ts';
import { payoutLeg, wrongPayout } from '../payout-invoice.ts';
import { arkadeFields, payoutFields, satsOrderFields } from '../shape.ts';
import { agreed } from '../sides/agreed.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import type { ArkadeLeg, Deal, LightningLeg } from '../terms.ts';
import {
  dealt,
  distrust,
  read,
  vhtlcLeg,
  wrongAmounts,
  wrongFrame,
  wrongHash,
  wrongRefundTime,
  wrongSender,
} from '../verify.ts';
import { invoiceWindow } from '../window.ts';

const fields = { ...satsOrderFields, ...arkadeFields, ...payoutFields };
export type TakeArkadeLightningTerms = ValueOf<typeof fields>;

/** We fund a VHTLC, the provider pays an invoice, and takes our coins with the secret that proves it. */
export const takenArkadeLightning = clientOf<TakeArkadeLightningTerms, ArkadeLeg, LightningLeg>({
  direction: 'arkade-lightning',
  secret: 'payee',
  terms: fieldsShape(fields),
  fund: fundOnArkade,
  claim: paidOverLightning,
  ...agreed('arkade-lightning', {
    record: arkadeLightningRecord,
    ours: 'sender_pk',
    price: quotedFor('target'),
    source: fromArkade,
    target: toLightning,
  }),
  request: (t) => ({
    arkade_htlc_script_version: 1,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
  }),
  verify: verifyArkadeLightning,
  window: invoiceWindow,
});

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
    wrongRefundTime(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  return dealt(record, vhtlcLeg(record, terms, 'sender'), payoutLeg(terms));
}
