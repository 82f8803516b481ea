import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import { fundOnArkade } from '../../halves/arkade/fund/half.ts';
import { fundingWindow } from '../../window.ts';
import type { ArkadeLeg } from '../../terms.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { requestToEvm } from '../../evm/order-to.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeArkadeEvmTerms } from './terms.ts';
import { verifyArkadeEvm } from './verify.ts';

/** We fund a VHTLC, the provider locks tokens on an EVM chain, and we claim them with a secret of ours. */
export const takenArkadeEvm = clientOf<TakeArkadeEvmTerms, ArkadeLeg, EvmLeg>({
  direction: 'arkade-evm',
  source: 'Arkade',
  target: 'evm',
  needs: ['arkade', 'bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOnArkade,
  claim: claimOnEvm,
  order,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    refund_pk: toHex(t.key),
    ...requestToEvm(t),
  }),
  verify: verifyArkadeEvm,
  window: fundingWindow,
  restorable,
  neverRefunded: null,
});
