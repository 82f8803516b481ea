import { evmArkadeRecord, type EvmArkadeRecord } from '../../contract/directions/evm-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import type { ReadClocks } from '../../domain/time.ts';
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
import type { ArkadeLeg } from '../terms.ts';
import { verifiedByChain } from '../verified.ts';
import {
  dealt,
  objection,
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

/** What we would lock, or the sentence for which nothing is signed. */
export const verifyEvmArkade = verifiedByChain(
  evmArkadeRecord,
  'the Bitcoin clock, by which its VHTLC is judged, cannot be read now',
  {
    wrong: (record, terms: TakeEvmArkadeTerms, now) =>
      wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Arkade') }) ??
      wrongPrice(record, terms) ??
      wrongHash(record, terms) ??
      wrongReceiver(record, terms) ??
      wrongTimes(record, terms, now),
    deal(record, terms) {
      const vhtlc = { ...record, arkade_vhtlc_address: record.btc_vhtlc_address };
      return dealt(record, lockOf(record, terms), vhtlcLeg(vhtlc, terms, 'receiver'));
    },
  },
);

/**
 * Tokens of ours are locked by our signature, the provider locks on Arkade, and our claim there shows it the secret.
 */
export const takenEvmArkade = clientOf<TakeEvmArkadeTerms, EvmLeg, ArkadeLeg>({
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
