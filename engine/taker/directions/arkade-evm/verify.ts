import { arkadeEvmRecord, type ArkadeEvmRecord } from '../../../contract/directions/arkade-evm.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { offeredLock, wantedInfo, wrongLockTime, wrongOffer } from '../../evm/offer.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import type { ArkadeLeg, Deal } from '../../terms.ts';
import {
  deriveVhtlc,
  distrust,
  objection,
  oneFeeFrameOf,
  read,
  wrongFrame,
  wrongHash,
  wrongRefundTime,
  wrongSender,
  type Objection,
} from '../../verify.ts';
import type { TakeArkadeEvmTerms } from './terms.ts';

/** The lock must leave us time to claim however late we pay, and be the provider's again before our coins are ours. */
function wrongTimes(record: ArkadeEvmRecord, terms: TakeArkadeEvmTerms, now: Clocks): Objection {
  const { vhtlc_refund_locktime: locktime, evm_refund_locktime: timelock } = record;
  return (
    wrongRefundTime(record, terms, now) ??
    wrongLockTime(record, terms, now) ??
    objection(
      timelock < locktime,
      `its lock can be taken back at ${timelock} only, after our own refund at ${locktime}: no provider locks that`,
    )
  );
}

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export function verifyArkadeEvm(
  given: unknown,
  terms: TakeArkadeEvmTerms,
  now: Clocks,
): Deal<ArkadeLeg, EvmLeg> | Refusal {
  const record = read(arkadeEvmRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: wantedInfo(terms) }) ??
    wrongOffer(record, terms) ??
    wrongHash(record, terms) ??
    wrongSender(record, terms) ??
    objection(
      record.btc_claim_txid === undefined && record.btc_fund_txid === undefined,
      'it names transactions although nothing was paid',
    ) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const target = offeredLock(record, terms);
  if (isRefusal(target)) return target;
  const vhtlc = deriveVhtlc({ ...record, arkade_vhtlc_address: record.btc_vhtlc_address }, terms, 'sender');
  if (isRefusal(vhtlc)) return vhtlc;
  return {
    ...oneFeeFrameOf(record),
    source: { on: 'arkade', amount: terms.sourceAmount, ...vhtlc },
    target,
  };
}
