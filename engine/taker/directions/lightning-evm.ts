import { lightningEvmRecord } from '../../contract/directions/lightning-evm.ts';
import { isRefusal } from '../../domain/errors.ts';
import { bitcoinOn } from '../../domain/token.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { clientOf } from '../client/client.ts';
import { offeredLock, wantedInfo, wrongLockTime, wrongOffer } from '../evm/offer.ts';
import { requestToEvm, toEvm } from '../evm/order-to.ts';
import { toEvmOrderFields } from '../evm/shape.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import { fundOverLightning } from '../halves/lightning/invoice.ts';
import { holdLegOf } from '../hold-invoice.ts';
import { holdFields, orderFields } from '../shape.ts';
import { agreed, inPrice } from '../sides/agreed.ts';
import { fromLightning } from '../sides/lightning.ts';
import type { LightningLeg } from '../terms.ts';
import { verified } from '../verified.ts';
import { dealt, distrust, objection, wrongFrame, wrongHash } from '../verify.ts';

const fields = { ...orderFields, ...toEvmOrderFields, ...holdFields };
export type TakeLightningEvmTerms = ValueOf<typeof fields>;

/** What we would pay for, or the sentence for which nobody is shown the invoice. */
export const verifyLightningEvm = verified(lightningEvmRecord, {
  wrong: (record, terms: TakeLightningEvmTerms) =>
    wrongFrame(record, terms, { source: bitcoinOn('Lightning'), target: wantedInfo(terms) }) ??
    wrongOffer(record, terms) ??
    wrongHash(record, terms),
  deal(record, terms, now, decode: DecodeInvoice) {
    const source = holdLegOf(record, terms, now, decode);
    if (isRefusal(source)) return source;
    // However late the invoice is paid.
    const { policy } = terms;
    const late =
      wrongLockTime(record, terms, now, Math.max(0, source.expiresAt - now.wall)) ??
      objection(
        record.evm_refund_locktime <= now.wall + policy.longestLeg,
        `its lock can be taken back at ${record.evm_refund_locktime} only, the payment could be held for too long`,
      );
    if (late !== null) return distrust(late);
    return dealt(record, source, offeredLock(record, terms));
  },
});

/** Somebody pays the provider's hold invoice, the provider locks tokens, and we claim them with a secret of ours. */
export const takenLightningEvm = clientOf<TakeLightningEvmTerms, LightningLeg, EvmLeg>({
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOverLightning,
  claim: claimOnEvm,
  ...agreed('lightning-evm', {
    record: lightningEvmRecord,
    ours: 'hash_lock',
    price: toEvm,
    source: fromLightning('Swap to an EVM chain'),
    target: inPrice,
  }),
  request: (t) => ({ ...requestToEvm(t), invoice_description: t.description }),
  verify: verifyLightningEvm,
  window: (_, { source, target }) => ({ pay: source.expiresAt, over: lockEnd(target) }),
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the tokens were claimed.',
});
