import { arkadeLightningRecord } from '../../../contract/directions/arkade-lightning.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { sats } from '../../../domain/money.ts';
import { laterOf, unix, type Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { locktimePassed } from '../../../legs/timelocks.ts';
import type { ArkadeLeg, Deal, LightningLeg } from '../../terms.ts';
import {
  deriveVhtlc,
  distrust,
  frameOf,
  keyIn,
  leastTimeToPay,
  objection,
  read,
  wrongAmounts,
  wrongFrame,
  wrongHash,
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
  const { policy } = terms;
  const locktime = record.vhtlc_refund_locktime;
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: bitcoinOn('Lightning') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    objection(record.sender_pk === toHex(terms.key), 'its refund key is not ours') ??
    objection(
      record.client_lightning_invoice.toLowerCase() === terms.bolt11,
      'the invoice that it would pay is not ours',
    ) ??
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, the invoice asks for ${terms.targetAmount}`,
    ) ??
    objection(
      record.invoice_expires_at === terms.invoiceExpiresAt,
      `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${terms.invoiceExpiresAt}`,
    ) ??
    objection(
      terms.invoiceExpiresAt >= now.wall + leastTimeToPay,
      `the invoice expires at ${terms.invoiceExpiresAt}, too soon to be paid`,
    ) ??
    objection(!locktimePassed(unix(locktime), now.bitcoin), `its refund locktime ${locktime} has passed`) ??
    objection(
      locktime <= laterOf(now) + policy.longestLeg,
      `its refund opens at ${locktime} only, more than ${policy.longestLeg} seconds from now`,
    );
  if (wrong !== null) return distrust(wrong);
  const leg = deriveVhtlc(record, terms, { sender: keyIn(toHex(terms.key)), receiver: keyIn(record.receiver_pk) });
  if (isRefusal(leg)) return leg;
  return {
    ...frameOf(record),
    source: { on: 'arkade', amount: sats(BigInt(record.source_amount)), ...leg },
    target: { on: 'lightning', amount: terms.targetAmount, bolt11: terms.bolt11, expiresAt: terms.invoiceExpiresAt },
  };
}
