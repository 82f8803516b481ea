import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sha256Of } from '../../legs/secret.ts';
import type { Order, Ordering, TakenDirection } from '../direction.ts';
import { lightningArkadeFacts } from './facts.ts';
import { takeLightningArkade, takeLightningArkadeEffects } from './machine.ts';
import { restorable } from './recovered.ts';
import { lightningArkadeSteps } from './steps.ts';
import type { TakeLightningArkadeProgress, TakeLightningArkadeTerms } from './terms.ts';

const description = 'Swap to Arkade';

async function order({ request, ...from }: Ordering): Promise<Order<TakeLightningArkadeTerms> | Refusal> {
  const quoted = await from.provider.quote('lightning-arkade', { side: 'source', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  const targetAddress = await from.arkadeAddress();
  if (targetAddress === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  const operator = from.operator();
  return {
    value: request.amount,
    terms: (agreed, secret) => ({
      ...agreed,
      operator,
      hash: sha256Of(secret),
      sourceAmount: request.amount,
      targetAmount: quoted.target,
      targetAddress,
      description,
    }),
  };
}

/** We hold the secret, somebody pays the provider's hold invoice, and we claim what the provider locks. */
export const takenLightningArkade: TakenDirection<TakeLightningArkadeTerms, TakeLightningArkadeProgress> = {
  source: 'Lightning',
  target: 'Arkade',
  needs: ['arkade', 'bitcoin'],
  secret: 'ours',
  machine: takeLightningArkade,
  order,
  effects: takeLightningArkadeEffects,
  facts: lightningArkadeFacts,
  steps: lightningArkadeSteps,
  lateScript: () => null,
  restorable,
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the coins were claimed.',
};
