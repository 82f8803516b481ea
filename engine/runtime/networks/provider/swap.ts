import { isRefusal } from '../../../domain/errors.ts';
import { wrongCosignature } from '../../../legs/arkade/cosigned.ts';
import { arkadeOf, providerOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { spendable } from '../arkade/coin.ts';
import { answerPrepared, forOwner } from '../arkade/prepared.ts';
import type { ProviderContext } from './context.ts';

/**
 * Opens the swap at the provider, once: the hash is the key of the request. A provider that has it already either gave
 * it to an earlier try of ours, which is found again by our keys, or to somebody else.
 */
export async function createSwap(
  effect: EffectOf<'provider.create'>,
  { ports, answer }: ProviderContext,
): Promise<void> {
  const provider = providerOf(ports, effect.provider);
  const created = await provider.create(effect.order);
  if (created.is === 'created') return answer({ is: 'provider.created', record: created.record });
  const record = created.is === 'used' ? await provider.find(effect.order) : null;
  answer(record === null ? { is: 'provider.refused', reason: created.sentence } : { is: 'provider.created', record });
}

/**
 * A refund that the provider signs too. Asking again is harmless, for the provider has closed the swap by its first
 * signature; nothing reaches the operator before both halves are saved.
 */
export async function cosignRefund(effect: EffectOf<'provider.cosign'>, context: ProviderContext): Promise<void> {
  const { ports, answer } = context;
  const { terms, key, coin: own } = effect;
  const arkade = arkadeOf(ports);
  const coin = await spendable(effect, 'refund', context);
  if (coin === null) return;
  const { script: to } = await arkade.address();
  const half = await arkade.buildCollabRefund({ terms, key, coins: [coin], to });
  const signed = await providerOf(ports, effect.provider).cosign(effect.swapId, half);
  if (isRefusal(signed)) return answer({ is: 'provider.declined', reason: signed.sentence });
  const wrong = wrongCosignature({ terms, coin, own: half, answer: signed });
  if (wrong !== null)
    return answer({ is: 'provider.declined', reason: `The provider's half of the refund is not used: ${wrong}` });
  const prepared = forOwner(key, await arkade.mergeCollabRefund(half, signed, key));
  await answerPrepared(context, { purpose: 'refund', coin: own }, prepared);
}
