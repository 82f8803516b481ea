import { isRefusal } from '../../domain/errors.ts';
import { bitcoinOn } from '../../domain/token.ts';
import type { ValueOf } from '../../legs/shape.ts';
import { holdLegOf, type HoldRecord } from '../hold-invoice.ts';
import { fundOverLightning, type LightningFundTerms } from '../halves/lightning/invoice.ts';
import { paidOverLightning, type PayoutTerms } from '../halves/lightning/payout.ts';
import { orderedPayout, payoutLeg, recoveredPayout, wrongPayout, type PayoutRecord } from '../payout-invoice.ts';
import { holdFields, payoutFields } from '../shape.ts';
import type { LightningLeg, OrderTerms } from '../terms.ts';
import { distrust } from '../verify.ts';
import type { Source, Target } from './agreed.ts';

const token = () => bitcoinOn('Lightning');

/** A hold invoice of the provider's, with a text of ours. */
export function fromLightning(
  description: string,
): Source<HoldRecord, OrderTerms & LightningFundTerms & ValueOf<typeof holdFields>, typeof holdFields, LightningLeg> {
  return {
    ...{ fields: holdFields, token, fund: fundOverLightning },
    neverRefunded:
      'There is nothing to take back: a payment over Lightning goes back by itself, unless what was locked for it was ' +
      'claimed.',
    ordered: () => ({ description }),
    recovered({ bolt11_invoice: text }, { decodeInvoice }) {
      const invoice = decodeInvoice(text);
      if (isRefusal(invoice)) return distrust('its invoice cannot be read');
      return { description: invoice.description ?? '' };
    },
    leg: holdLegOf,
    given: 'its invoice may be paid',
    within: ({ expiresAt }, _, now) => Math.max(0, expiresAt - now.wall),
  };
}

/** An invoice that the provider pays, whose secret is its payee's. */
export const toLightning: Target<
  PayoutRecord,
  PayoutTerms & ValueOf<typeof payoutFields>,
  typeof payoutFields,
  LightningLeg
> = {
  ...{ fields: payoutFields, token, claim: paidOverLightning },
  ordered: orderedPayout,
  recovered: recoveredPayout,
  // Only some records say it: at the create nothing is.
  instead: () => ({ lightning_payment_settled: false }),
  leg(record, terms, now) {
    const wrong = wrongPayout(record, terms, now);
    return wrong === null ? payoutLeg(terms) : distrust(wrong);
  },
};
