import { lightningEvmRecord } from '../../contract/directions/lightning-evm.ts';
import { isRefusal } from '../../domain/errors.ts';
import { offeredLock, wrongLockTime } from '../evm/offer.ts';
import { priceToEvm, requestToEvm } from '../evm/order-to.ts';
import { holdLegOf } from '../hold-invoice.ts';
import { toEvm } from '../sides/evm.ts';
import { fromLightning } from '../sides/lightning.ts';
import { taken } from '../taken.ts';
import { dealt, distrust, objection, wrongHash } from '../verify.ts';

/** Somebody pays the provider's hold invoice, the provider locks tokens, and we claim them with a secret of ours. */
export const takenLightningEvm = taken('lightning-evm', lightningEvmRecord, {
  ours: 'hash_lock',
  price: priceToEvm,
  source: fromLightning('Swap to an EVM chain'),
  target: toEvm,
  request: (t) => ({ ...requestToEvm(t), invoice_description: t.description }),
  wrong: (record, terms) => wrongHash(record, terms),
  deal(record, terms, now, decode) {
    const source = holdLegOf(record, terms, now, decode);
    if (isRefusal(source)) return source;
    const late =
      // However late the invoice is paid.
      wrongLockTime(record, terms, now, Math.max(0, source.expiresAt - now.wall)) ??
      objection(
        record.evm_refund_locktime <= now.wall + terms.policy.longestLeg,
        `its lock can be taken back at ${record.evm_refund_locktime} only, the payment could be held for too long`,
      );
    return late === null ? dealt(record, source, offeredLock(record, terms)) : distrust(late);
  },
});
