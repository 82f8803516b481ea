import { arkadeEvmRecord } from '../../contract/directions/arkade-evm.ts';
import { toHex } from '../../domain/hex.ts';
import { offeredLock, wrongLockTime } from '../evm/offer.ts';
import { priceToEvm, requestToEvm } from '../evm/order-to.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import { dealt, objection, vhtlcLeg, wrongHash, wrongRefundTime, wrongSender } from '../verify.ts';
import { fundingWindow } from '../window.ts';

/** We fund a VHTLC, the provider locks a token worth bitcoin on an EVM chain, and we claim it with a secret of ours. */
export const takenArkadeEvm = taken('arkade-evm', arkadeEvmRecord, {
  ours: 'sender_pk',
  price: priceToEvm,
  source: fromArkade,
  target: toEvm,
  request: (t) => ({ arkade_htlc_script_version: 1, refund_pk: toHex(t.key), ...requestToEvm(t) }),
  wrong(record, terms, now) {
    const { vhtlc_refund_locktime: locktime, evm_refund_locktime: timelock } = record;
    // However late we pay; for one that is found again nothing is paid any more (facts/faults.md 302).
    const wait = terms.restored === undefined ? Math.max(0, fundingWindow(terms).over - now.wall) : 0;
    return (
      wrongHash(record, terms) ??
      wrongSender(record, terms) ??
      wrongRefundTime(record, terms, now) ??
      wrongLockTime(record, terms, now, wait) ??
      objection(
        timelock < locktime,
        `its lock can be taken back at ${timelock} only, after our own refund at ${locktime}: no provider locks that`,
      )
    );
  },
  deal(record, terms) {
    const vhtlc = { ...record, arkade_vhtlc_address: record.btc_vhtlc_address };
    return dealt(record, vhtlcLeg(vhtlc, terms, 'sender'), offeredLock(record, terms));
  },
});
