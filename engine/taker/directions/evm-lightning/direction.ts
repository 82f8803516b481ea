import { chainIdOf } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import { clientOf } from '../../client/client.ts';
import { paidOverLightning } from '../../halves/lightning/payout.ts';
import { fundOnEvm } from '../../halves/evm/fund/half.ts';
import { invoiceWindow } from '../../window.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import type { LightningLeg } from '../../terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeEvmLightningTerms } from './terms.ts';
import { verifyEvmLightning } from './verify.ts';

/** Tokens of ours are locked by our signature, and the provider pays an invoice. */
export const takenEvmLightning = clientOf<TakeEvmLightningTerms, EvmLeg, LightningLeg>({
  direction: 'evm-lightning',
  source: 'evm',
  target: 'Lightning',
  needs: ['bitcoin'],
  secret: 'payee',
  terms,
  fund: fundOnEvm,
  claim: paidOverLightning,
  order,
  request: (t) => ({
    evm_chain_id: chainIdOf(t.chain),
    token_address: checksummed(t.pegged.address),
    user_address: checksummed(t.account),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
    gasless: t.gasless,
  }),
  verify: verifyEvmLightning,
  window: invoiceWindow,
  restorable,
  neverRefunded: null,
});
