import { lightningArkadeRecord, type LightningArkadeRecord } from '../../contract/directions/lightning-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { isRead, laterOf, type Clocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { clientOf } from '../client/client.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import { fundOverLightning } from '../halves/lightning/invoice.ts';
import { holdLegOf } from '../hold-invoice.ts';
import { holdFields, satsOrderFields, toArkadeFields } from '../shape.ts';
import { agreed } from '../sides/agreed.ts';
import { toArkade } from '../sides/arkade.ts';
import { fromLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import type { ArkadeLeg, LightningLeg } from '../terms.ts';
import { verified } from '../verified.ts';
import {
  dealt,
  objection,
  vhtlcLeg,
  wrongAmounts,
  wrongClaimDelay,
  wrongFrame,
  wrongHash,
  wrongReceiver,
  type Objection,
} from '../verify.ts';

const fields = { ...satsOrderFields, ...toArkadeFields, ...holdFields };
export type TakeLightningArkadeTerms = ValueOf<typeof fields>;

/** What we would pay for, or the sentence for which nobody is shown the invoice. */
export const verifyLightningArkade = verified(lightningArkadeRecord, {
  wrong: (record, terms: TakeLightningArkadeTerms, now) =>
    wrongFrame(record, terms, { source: bitcoinOn('Lightning'), target: bitcoinOn('Arkade') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    wrongReceiver(record, terms) ??
    wrongClaimTime(record, terms, now),
  deal: (record, terms, now, decode: DecodeInvoice) =>
    dealt(record, holdLegOf(record, terms, now, decode), vhtlcLeg(record, terms, 'receiver')),
});

/** We hold the secret, somebody pays the provider's hold invoice, and we claim what the provider locks. */
export const takenLightningArkade = clientOf<TakeLightningArkadeTerms, LightningLeg, ArkadeLeg>({
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOverLightning,
  claim: claimOnArkade,
  ...agreed('lightning-arkade', {
    record: lightningArkadeRecord,
    ours: 'receiver_pk',
    price: quotedFor('source'),
    source: fromLightning('Swap to Arkade'),
    target: toArkade,
  }),
  request: (t) => ({
    arkade_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  }),
  verify: verifyLightningArkade,
  window: (_, { source, target }) => ({ pay: source.expiresAt, over: target.vhtlc.refundLocktime }),
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the coins were claimed.',
});

/**
 * The service's leg must leave us time to claim however late the invoice is paid, and must not lie absurdly far away.
 * How long the invoice lives is told by the wall, when the VHTLC can be taken back by the chain.
 */
function wrongClaimTime(record: LightningArkadeRecord, terms: TakeLightningArkadeTerms, now: Clocks): Objection {
  const { policy } = terms;
  if (!isRead(now)) return 'the Bitcoin clock, by which its locktime is judged, cannot be read now';
  const locktime = record.vhtlc_refund_locktime;
  const paidBy = latestByChain(now.bitcoin, policy) + Math.max(0, record.invoice_expires_at - now.wall);
  return (
    objection(
      locktime >= paidBy + policy.leastClaimTime,
      `its VHTLC can be taken back at ${locktime}, less than ${policy.leastClaimTime} seconds after its invoice ` +
        'may be paid',
    ) ??
    objection(
      locktime <= laterOf(now) + policy.longestLeg,
      `its VHTLC can be taken back at ${locktime} only, the payment could be held for too long`,
    ) ??
    wrongClaimDelay(record, terms)
  );
}
