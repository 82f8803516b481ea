import { evmLightningRecord, type EvmLightningRecord } from '../../../contract/directions/evm-lightning.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { evmTime } from '../../../legs/evm/timelocks.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { lockOf, peggedInfo, wrongLock, wrongPrice } from '../../evm/verify.ts';
import type { Deal, LightningLeg } from '../../terms.ts';
import {
  distrust,
  frameOf,
  leastTimeToPay,
  objection,
  read,
  wrongFrame,
  wrongHash,
  type Objection,
} from '../../verify.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

function wrongTimes(record: EvmLightningRecord, terms: TakeEvmLightningTerms, now: Clocks): Objection {
  const timelock = record.evm_refund_locktime;
  const time = evmTime(now, terms.chain);
  if (time === null) return 'the clock of the EVM chain, by which its lock is judged, cannot be read now';
  return (
    objection(
      record.invoice_expires_at === terms.invoiceExpiresAt,
      `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${terms.invoiceExpiresAt}`,
    ) ??
    objection(
      terms.invoiceExpiresAt >= now.wall + leastTimeToPay,
      `the invoice expires at ${terms.invoiceExpiresAt}, too soon to be paid`,
    ) ??
    objection(timelock > time, `its refund opens at ${timelock}, which has passed`) ??
    objection(
      timelock <= Math.max(now.wall, time) + terms.policy.longestLeg,
      `its refund opens at ${timelock} only, more than ${terms.policy.longestLeg} seconds from now`,
    )
  );
}

/** What we would lock, or the sentence for which nothing is signed. */
export function verifyEvmLightning(
  given: unknown,
  terms: TakeEvmLightningTerms,
  now: Clocks,
): Deal<EvmLeg, LightningLeg> | Refusal {
  const record = read(evmLightningRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Lightning') }) ??
    wrongLock(record, terms) ??
    wrongPrice(record, terms) ??
    wrongHash(record, terms) ??
    objection(
      record.client_lightning_invoice.toLowerCase() === terms.bolt11,
      'the invoice that it would pay is not ours',
    ) ??
    objection(!record.lightning_payment_settled, 'it says that the invoice is paid although nothing was locked') ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const source = lockOf(record, terms);
  if (isRefusal(source)) return source;
  return {
    ...frameOf(record),
    source,
    target: { on: 'lightning', amount: terms.targetAmount, bolt11: terms.bolt11, expiresAt: terms.invoiceExpiresAt },
  };
}
