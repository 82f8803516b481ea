import { arkadeLightningRecord } from '../../contract/directions/arkade-lightning.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { laterOf, unix, type Clocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { locktimePassed } from '../../legs/timelocks.ts';
import type { Deal } from '../terms.ts';
import {
  dealOf,
  deriveVhtlc,
  distrust,
  keyIn,
  leastTimeToPay,
  objection,
  read,
  wrongAmounts,
  wrongFrame,
  wrongHash,
} from '../verify.ts';
import type { TakeArkadeLightningTerms } from './terms.ts';

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export function verifyArkadeLightning(given: unknown, asked: TakeArkadeLightningTerms, now: Clocks): Deal | Refusal {
  const record = read(arkadeLightningRecord, given);
  if (isRefusal(record)) return record;
  const { policy } = asked;
  const locktime = record.vhtlc_refund_locktime;
  const wrong =
    wrongFrame(record, asked, { source: bitcoinOn('Arkade'), target: bitcoinOn('Lightning') }) ??
    wrongAmounts(record, asked) ??
    wrongHash(record, asked) ??
    objection(record.sender_pk === toHex(asked.key), 'its refund key is not ours') ??
    objection(
      record.client_lightning_invoice.toLowerCase() === asked.bolt11,
      'the invoice that it would pay is not ours',
    ) ??
    objection(
      record.target_amount === asked.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, the invoice asks for ${asked.targetAmount}`,
    ) ??
    objection(
      record.invoice_expires_at === asked.invoiceExpiresAt,
      `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${asked.invoiceExpiresAt}`,
    ) ??
    objection(
      asked.invoiceExpiresAt >= now.wall + leastTimeToPay,
      `the invoice expires at ${asked.invoiceExpiresAt}, too soon to be paid`,
    ) ??
    objection(!locktimePassed(unix(locktime), now.bitcoin), `its refund locktime ${locktime} has passed`) ??
    objection(
      locktime <= laterOf(now) + policy.longestLeg,
      `its refund opens at ${locktime} only, more than ${policy.longestLeg} seconds from now`,
    );
  if (wrong !== null) return distrust(wrong);
  const leg = deriveVhtlc(record, asked, { sender: keyIn(toHex(asked.key)), receiver: keyIn(record.receiver_pk) });
  return isRefusal(leg) ? leg : dealOf(record, leg, asked.bolt11);
}
