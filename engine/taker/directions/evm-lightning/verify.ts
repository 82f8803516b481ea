import { evmLightningRecord, type EvmLightningRecord } from '../../../contract/directions/evm-lightning.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { evmTime } from '../../../legs/evm/timelocks.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { lockOf, peggedInfo, wrongLock, wrongPrice } from '../../evm/verify.ts';
import { payoutLeg, wrongPayout } from '../../payout-invoice.ts';
import type { Deal, LightningLeg } from '../../terms.ts';
import { distrust, frameOf, objection, read, wrongFrame, wrongHash, type Objection } from '../../verify.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

function wrongTimes(record: EvmLightningRecord, terms: TakeEvmLightningTerms, now: Clocks): Objection {
  const timelock = record.evm_refund_locktime;
  const time = evmTime(now, terms.chain);
  if (time === null) return 'the clock of the EVM chain, by which its lock is judged, cannot be read now';
  return (
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
    wrongPayout(record, terms, now) ??
    objection(!record.lightning_payment_settled, 'it says that the invoice is paid although nothing was locked') ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const source = lockOf(record, terms);
  if (isRefusal(source)) return source;
  return {
    ...frameOf(record),
    source,
    target: payoutLeg(terms),
  };
}
