import { lightningEvmRecord } from '../../../contract/directions/lightning-evm.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import type { DecodeInvoice } from '../../../legs/lightning/invoice.ts';
import { offeredLock, wantedInfo, wrongLockTime, wrongOffer } from '../../evm/offer.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { holdLegOf } from '../../hold-invoice.ts';
import type { Deal, LightningLeg } from '../../terms.ts';
import { distrust, objection, oneFeeFrameOf, read, wrongFrame, wrongHash } from '../../verify.ts';
import type { TakeLightningEvmTerms } from './terms.ts';

/** What we would pay for, or the sentence for which nobody is shown the invoice. */
export function verifyLightningEvm(
  given: unknown,
  terms: TakeLightningEvmTerms,
  now: Clocks,
  decode: DecodeInvoice,
): Deal<LightningLeg, EvmLeg> | Refusal {
  const record = read(lightningEvmRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Lightning'), target: wantedInfo(terms) }) ??
    wrongOffer(record, terms) ??
    wrongHash(record, terms);
  if (wrong !== null) return distrust(wrong);
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
  const target = offeredLock(record, terms);
  if (isRefusal(target)) return target;
  return { ...oneFeeFrameOf(record), source, target };
}
