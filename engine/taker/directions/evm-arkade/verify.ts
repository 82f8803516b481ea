import { evmArkadeRecord, type EvmArkadeRecord } from '../../../contract/directions/evm-arkade.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { isRead, type Clocks, type ReadClocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { latestByChain } from '../../../legs/timelocks.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { lockOf, peggedInfo, wrongLock, wrongPrice, wrongRefundTime } from '../../evm/verify.ts';
import type { ArkadeLeg, Deal } from '../../terms.ts';
import {
  deriveVhtlc,
  distrust,
  objection,
  oneFeeFrameOf,
  read,
  wrongClaimDelay,
  wrongFrame,
  wrongHash,
  wrongReceiver,
  type Objection,
} from '../../verify.ts';
import type { TakeEvmArkadeTerms } from './terms.ts';

function wrongParts(record: EvmArkadeRecord, terms: TakeEvmArkadeTerms): Objection {
  return (
    wrongHash(record, terms) ??
    wrongReceiver(record, terms) ??
    objection(record.target_arkade_address === terms.targetAddress, 'its Arkade address is not ours') ??
    objection(
      record.btc_claim_txid === undefined && record.btc_fund_txid === undefined,
      'it names transactions although nothing was paid',
    )
  );
}

/**
 * The provider's VHTLC must leave us time to claim however late in the window we lock; our lock must be ours again in
 * bounded time, and never before the provider's VHTLC is its own again: nobody who means it offers both legs to one
 * side.
 */
function wrongTimes(record: EvmArkadeRecord, terms: TakeEvmArkadeTerms, now: ReadClocks): Objection {
  const { policy } = terms;
  const lock = record.vhtlc_refund_locktime;
  const paidBy = latestByChain(now.bitcoin, policy) + policy.fundingWindow;
  return (
    objection(
      lock >= paidBy + policy.leastClaimTime,
      `its VHTLC can be taken back at ${lock}, less than ${policy.leastClaimTime} seconds after the tokens may be locked`,
    ) ??
    objection(
      record.evm_refund_locktime > lock,
      `our refund opens at ${record.evm_refund_locktime}, before its VHTLC could be taken back at ${lock}`,
    ) ??
    wrongRefundTime(record, terms, now) ??
    wrongClaimDelay(record)
  );
}

/** What we would lock, or the sentence for which nothing is signed. */
export function verifyEvmArkade(
  given: unknown,
  terms: TakeEvmArkadeTerms,
  now: Clocks,
): Deal<EvmLeg, ArkadeLeg> | Refusal {
  const record = read(evmArkadeRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin clock, by which its VHTLC is judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Arkade') }) ??
    wrongLock(record, terms) ??
    // The network's part is in the one fee of this record.
    wrongPrice({ ...record, network_fee_sats: 0 }, terms) ??
    wrongParts(record, terms) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const source = lockOf(record, terms);
  if (isRefusal(source)) return source;
  const vhtlc = deriveVhtlc({ ...record, arkade_vhtlc_address: record.btc_vhtlc_address }, terms, 'receiver');
  if (isRefusal(vhtlc)) return vhtlc;
  return {
    ...oneFeeFrameOf(record),
    source,
    target: { on: 'arkade', amount: terms.targetAmount, ...vhtlc },
  };
}
