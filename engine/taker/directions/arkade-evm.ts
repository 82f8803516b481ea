import { arkadeEvmRecord, type ArkadeEvmRecord } from '../../contract/directions/arkade-evm.ts';
import { toHex } from '../../domain/hex.ts';
import type { Clocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { offeredLock, wantedInfo, wrongLockTime, wrongOffer } from '../evm/offer.ts';
import { requestToEvm, toEvm } from '../evm/order-to.ts';
import { toEvmOrderFields } from '../evm/shape.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import { arkadeFields, orderFields } from '../shape.ts';
import { agreed, inPrice } from '../sides/agreed.ts';
import { fromArkade } from '../sides/arkade.ts';
import type { ArkadeLeg } from '../terms.ts';
import { verified } from '../verified.ts';
import {
  dealt,
  objection,
  vhtlcLeg,
  wrongFrame,
  wrongHash,
  wrongRefundTime,
  wrongSender,
  type Objection,
} from '../verify.ts';
import { fundingWindow } from '../window.ts';

const fields = { ...orderFields, ...arkadeFields, ...toEvmOrderFields };
export type TakeArkadeEvmTerms = ValueOf<typeof fields>;

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export const verifyArkadeEvm = verified(arkadeEvmRecord, {
  wrong: (record, terms: TakeArkadeEvmTerms, now) =>
    wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: wantedInfo(terms) }) ??
    wrongOffer(record, terms) ??
    wrongHash(record, terms) ??
    wrongSender(record, terms) ??
    wrongTimes(record, terms, now),
  deal(record, terms) {
    const vhtlc = { ...record, arkade_vhtlc_address: record.btc_vhtlc_address };
    return dealt(record, vhtlcLeg(vhtlc, terms, 'sender'), offeredLock(record, terms));
  },
});

/** We fund a VHTLC, the provider locks a token worth bitcoin on an EVM chain, and we claim it with a secret of ours. */
export const takenArkadeEvm = clientOf<TakeArkadeEvmTerms, ArkadeLeg, EvmLeg>({
  secret: 'ours',
  terms: fieldsShape(fields),
  fund: fundOnArkade,
  claim: claimOnEvm,
  ...agreed('arkade-evm', {
    record: arkadeEvmRecord,
    ours: 'sender_pk',
    price: toEvm,
    source: fromArkade,
    target: inPrice,
  }),
  request: (t) => ({ arkade_htlc_script_version: 1, refund_pk: toHex(t.key), ...requestToEvm(t) }),
  verify: verifyArkadeEvm,
  window: fundingWindow,
});

/**
 * The lock must leave us time to claim however late we pay, and be the provider's again before our coins are ours. For
 * one that is found again nothing is paid any more (facts/faults.md 302).
 */
function wrongTimes(record: ArkadeEvmRecord, terms: TakeArkadeEvmTerms, now: Clocks): Objection {
  const { vhtlc_refund_locktime: locktime, evm_refund_locktime: timelock } = record;
  const wait = terms.restored === undefined ? Math.max(0, fundingWindow(terms).over - now.wall) : 0;
  return (
    wrongRefundTime(record, terms, now) ??
    wrongLockTime(record, terms, now, wait) ??
    objection(
      timelock < locktime,
      `its lock can be taken back at ${timelock} only, after our own refund at ${locktime}: no provider locks that`,
    )
  );
}
