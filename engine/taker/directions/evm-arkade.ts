import { evmArkadeRecord, type EvmArkadeRecord } from '../../contract/directions/evm-arkade.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { isRead, type Clocks, type ReadClocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, sats, type ValueOf } from '../../legs/shape.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { clientOf } from '../client/client.ts';
import { fromEvm, requestFromEvm } from '../evm/order-from.ts';
import { fromEvmFields } from '../evm/shape.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { lockOf, peggedInfo, wrongPrice, wrongRefundTime } from '../evm/verify.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import { orderFields, toArkadeFields } from '../shape.ts';
import { agreed, inPrice } from '../sides/agreed.ts';
import { toArkade } from '../sides/arkade.ts';
import type { ArkadeLeg, Deal } from '../terms.ts';
import {
  dealt,
  distrust,
  objection,
  read,
  vhtlcLeg,
  wrongClaimDelay,
  wrongFrame,
  wrongHash,
  wrongReceiver,
  type Objection,
} from '../verify.ts';
import { fundingWindow } from '../window.ts';

const fields = {
  ...orderFields,
  ...fromEvmFields,
  ...toArkadeFields,
  /** Exactly this is locked for us. */
  targetAmount: sats,
};
export type TakeEvmArkadeTerms = ValueOf<typeof fields>;

/**
 * Tokens of ours are locked by our signature, the provider locks on Arkade, and our claim there shows it the secret.
 */
export const takenEvmArkade = clientOf<TakeEvmArkadeTerms, EvmLeg, ArkadeLeg>({
  direction: 'evm-arkade',
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOnEvm,
  claim: claimOnArkade,
  ...agreed('evm-arkade', {
    record: evmArkadeRecord,
    ours: 'receiver_pk',
    price: fromEvm,
    source: inPrice,
    target: toArkade,
  }),
  request: (t) => ({
    arkade_htlc_script_version: 1,
    hash_lock: `0x${toHex(t.hash)}`,
    receiver_pk: toHex(t.key),
    target_address: t.targetAddress,
    amount_out: Number(t.targetAmount),
    ...requestFromEvm(t),
  }),
  verify: verifyEvmArkade,
  window: fundingWindow,
});

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
    wrongPrice(record, terms) ??
    wrongHash(record, terms) ??
    wrongReceiver(record, terms) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const vhtlc = { ...record, arkade_vhtlc_address: record.btc_vhtlc_address };
  return dealt(record, lockOf(record, terms), vhtlcLeg(vhtlc, terms, 'receiver'));
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
    wrongClaimDelay(record, terms)
  );
}
