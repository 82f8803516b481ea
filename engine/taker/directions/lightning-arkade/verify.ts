import { lightningArkadeRecord, type LightningArkadeRecord } from '../../../contract/directions/lightning-arkade.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sats } from '../../../domain/money.ts';
import { isRead, laterOf, type Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import type { DecodeInvoice } from '../../../legs/lightning/invoice.ts';
import { latestByChain } from '../../../legs/timelocks.ts';
import { holdLegOf } from '../../hold-invoice.ts';
import type { ArkadeLeg, Deal, LightningLeg } from '../../terms.ts';
import {
  deriveVhtlc,
  distrust,
  frameOf,
  objection,
  read,
  wrongAmounts,
  wrongClaimDelay,
  wrongFrame,
  wrongHash,
  wrongReceiver,
  type Objection,
} from '../../verify.ts';
import type { TakeLightningArkadeTerms } from './terms.ts';

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
    wrongClaimDelay(record)
  );
}

/** What we would pay for, or the sentence for which nobody is shown the invoice. */
export function verifyLightningArkade(
  given: unknown,
  terms: TakeLightningArkadeTerms,
  now: Clocks,
  decode: DecodeInvoice,
): Deal<LightningLeg, ArkadeLeg> | Refusal {
  const record = read(lightningArkadeRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Lightning'), target: bitcoinOn('Arkade') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    wrongReceiver(record, terms) ??
    objection(record.target_arkade_address === terms.targetAddress, 'its target address is not ours') ??
    wrongClaimTime(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const leg = deriveVhtlc(record, terms, 'receiver');
  if (isRefusal(leg)) return leg;
  const source = holdLegOf(record, terms, now, decode);
  if (isRefusal(source)) return source;
  return { ...frameOf(record), source, target: { on: 'arkade', amount: sats(BigInt(record.target_amount)), ...leg } };
}
