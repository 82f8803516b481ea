import { unix } from '../../../domain/time.ts';
import { clientOf } from '../../client/client.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import { fundOverLightning } from '../../halves/lightning/invoice.ts';
import type { LightningLeg } from '../../terms.ts';
import { requestToEvm } from '../../evm/order-to.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeLightningEvmTerms } from './terms.ts';
import { verifyLightningEvm } from './verify.ts';

/** Somebody pays the provider's hold invoice, the provider locks tokens, and we claim them with a secret of ours. */
export const takenLightningEvm = clientOf<TakeLightningEvmTerms, LightningLeg, EvmLeg>({
  direction: 'lightning-evm',
  source: 'Lightning',
  target: 'evm',
  needs: ['bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOverLightning,
  claim: claimOnEvm,
  order,
  request: (t) => ({ ...requestToEvm(t), invoice_description: t.description }),
  verify: verifyLightningEvm,
  window: (_, { source, target }) => ({ pay: source.expiresAt, over: unix(Number(target.lock.timelock)) }),
  restorable,
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the tokens were claimed.',
});
