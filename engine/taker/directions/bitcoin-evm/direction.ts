import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import { requestToEvm } from '../../evm/order-to.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { fundOnBitcoin } from '../../halves/bitcoin/fund/half.ts';
import type { PaidLeg } from '../../halves/bitcoin/fund/terms.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeBitcoinEvmTerms } from './terms.ts';
import { verifyBitcoinEvm } from './verify.ts';

/** We pay an HTLC on the Bitcoin chain, the provider locks tokens, and we claim them with a secret of ours. */
export const takenBitcoinEvm = clientOf<TakeBitcoinEvmTerms, PaidLeg, EvmLeg>({
  direction: 'bitcoin-evm',
  source: 'Bitcoin',
  target: 'evm',
  needs: ['bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOnBitcoin,
  claim: claimOnEvm,
  order,
  request: (t) => ({ btc_htlc_script_version: 1, refund_pk: toHex(t.key), ...requestToEvm(t) }),
  verify: verifyBitcoinEvm,
  window: (_, { source: { payBefore } }) => ({ pay: payBefore, over: payBefore }),
  restorable,
  neverRefunded: null,
});
