import { arkadeEvmRecord } from '../../contract/directions/arkade-evm.ts';
import { toHex } from '../../domain/hex.ts';
import { priceToEvm, requestToEvm } from '../evm/order-to.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/** We fund a VHTLC, the provider locks a token worth bitcoin on an EVM chain, and we claim it with a secret of ours. */
export const takenArkadeEvm = taken('arkade-evm', arkadeEvmRecord, {
  ours: 'sender_pk',
  price: priceToEvm,
  source: {
    ...fromArkade,
    // For one that is found again nothing is paid any more (facts/faults.md 302).
    within: (leg, terms, now) => (terms.restored === undefined ? fromArkade.within(leg, terms, now) : 0),
  },
  target: toEvm,
  request: (t) => ({ arkade_htlc_script_version: 1, refund_pk: toHex(t.key), ...requestToEvm(t) }),
  wrong: wrongHash,
});
