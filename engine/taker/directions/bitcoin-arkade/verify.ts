import { bitcoinArkadeRecord, type BitcoinArkadeRecord } from '../../../contract/directions/bitcoin-arkade.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sameBytes, xOnlyOf } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { sats } from '../../../domain/money.ts';
import { isRead, type ReadClocks, type Clocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { latestByChain } from '../../../legs/timelocks.ts';
import { paidLegOf, paidWithin, wholeKey, wrongHtlc, wrongRefundTime } from '../../paid-htlc.ts';
import {
  deriveVhtlc,
  distrust,
  keyIn,
  objection,
  oneFeeFrameOf,
  read,
  wrongAmounts,
  wrongClaimDelay,
  wrongFrame,
  wrongReceiver,
  type Objection,
} from '../../verify.ts';
import type { TakeBitcoinArkadeTerms } from './terms.ts';
import type { PaidLeg } from '../../halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg, Deal } from '../../terms.ts';

function wrongParts(record: BitcoinArkadeRecord, terms: TakeBitcoinArkadeTerms): Objection {
  return (
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it pays out ${record.target_amount} sats, ${terms.targetAmount} were asked for`,
    ) ??
    objection(
      record.sats_receive.toString() === record.target_amount &&
        record.asset_amount.toString() === record.source_amount,
      'its amounts contradict each other',
    ) ??
    objection(record.hash_lock === toHex(hash160OfSha256(terms.hash)), 'its hash is not ours') ??
    wrongReceiver(record, terms) ??
    objection(record.target_arkade_address === terms.targetAddress, 'its Arkade address is not ours') ??
    wrongHtlc(record)
  );
}

/**
 * The service's leg must leave us time to claim however late in the window we pay, and however long our coin takes to
 * be deep enough.
 */
function wrongTimes(record: BitcoinArkadeRecord, terms: TakeBitcoinArkadeTerms, now: ReadClocks): Objection {
  const { policy } = terms;
  const end = record.vhtlc_refund_locktime;
  return (
    objection(
      end >= latestByChain(now.bitcoin, policy) + paidWithin(record, terms) + policy.leastClaimTime,
      `its VHTLC can be taken back at ${end}, less than ${policy.leastClaimTime} seconds after the bitcoin may ` +
        'be paid and confirmed',
    ) ??
    wrongRefundTime(record, { name: 'VHTLC', end }, terms, now) ??
    wrongClaimDelay(record)
  );
}

/** Where we would send bitcoin, or the sentence for which nobody is shown the address. */
export function verifyBitcoinArkade(
  given: unknown,
  terms: TakeBitcoinArkadeTerms,
  now: Clocks,
): Deal<PaidLeg, ArkadeLeg> | Refusal {
  const record = read(bitcoinArkadeRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin clock, by which its locktimes are judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Bitcoin'), target: bitcoinOn('Arkade') }) ??
    // The network's part is in the one fee of this record.
    wrongAmounts({ ...record, network_fee_sats: 0 }, terms) ??
    wrongParts(record, terms) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const vhtlc = deriveVhtlc(record, terms, 'receiver');
  if (isRefusal(vhtlc)) return vhtlc;
  const claimer = wholeKey(record.server_vhtlc_pk);
  if (!sameBytes(xOnlyOf(claimer), keyIn(record.sender_pk))) return distrust('its two keys are not the same');
  const source = paidLegOf(record, terms, claimer, now);
  if (isRefusal(source)) return source;
  return {
    ...oneFeeFrameOf(record),
    source,
    target: { on: 'arkade', amount: sats(BigInt(record.target_amount)), ...vhtlc },
  };
}
