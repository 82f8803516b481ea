import { chainIdOf } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import { toHex } from '../../../domain/hex.ts';
import { unix } from '../../../domain/time.ts';
import { clientOf } from '../../client/client.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import { fundOverLightning } from '../../halves/lightning/invoice.ts';
import type { LightningLeg } from '../../terms.ts';
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
  request: (t) => ({
    claiming_address: checksummed(t.account),
    evm_chain_id: chainIdOf(t.chain),
    hash_lock: `0x${toHex(t.hash)}`,
    target_address: checksummed(t.destination),
    token_address: checksummed((t.exchange?.token ?? t.pegged).address),
    user_id: t.userId,
    amount_in: Number(t.sourceAmount),
    gasless: t.gasless,
    invoice_description: t.description,
  }),
  verify: verifyLightningEvm,
  window: (_, { source, target }) => ({ pay: source.expiresAt, over: unix(Number(target.lock.timelock)) }),
  restorable,
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the tokens were claimed.',
});
