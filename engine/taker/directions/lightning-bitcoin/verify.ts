import { lightningBitcoinRecord } from '../../../contract/directions/lightning-bitcoin.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sats } from '../../../domain/money.ts';
import { isRead, type Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import type { DecodeInvoice } from '../../../legs/lightning/invoice.ts';
import { holdLegOf } from '../../hold-invoice.ts';
import { offeredHtlc, wrongClaimHeight, wrongTarget } from '../../htlc.ts';
import type { BitcoinLeg, Deal, LightningLeg } from '../../terms.ts';
import { distrust, frameOf, read, wrongAmounts, wrongFrame, wrongHash } from '../../verify.ts';
import type { TakeLightningBitcoinTerms } from './terms.ts';

/** What we would pay for, or the sentence for which nobody is shown the invoice. */
export function verifyLightningBitcoin(
  given: unknown,
  terms: TakeLightningBitcoinTerms,
  now: Clocks,
  decode: DecodeInvoice,
): Deal<LightningLeg, BitcoinLeg> | Refusal {
  const record = read(lightningBitcoinRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin chain, by whose height its coin is judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Lightning'), target: bitcoinOn('Bitcoin') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    wrongTarget(record, terms);
  if (wrong !== null) return distrust(wrong);
  const source = holdLegOf(record, terms, now, decode);
  if (isRefusal(source)) return source;
  // However late the invoice is paid.
  const late = wrongClaimHeight(record, terms, now, Math.max(0, source.expiresAt - now.wall));
  if (late !== null) return distrust(late);
  const target = offeredHtlc(record, terms, { amount: sats(BigInt(record.target_amount)), now });
  return isRefusal(target) ? target : { ...frameOf(record), source, target };
}
