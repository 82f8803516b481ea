import { furthest } from '../../../domain/time.ts';
import { NotYet } from '../../not-yet.ts';
import { arkadeOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { preimageOf } from '../preimage.ts';
import { spendable } from './coin.ts';
import { answerPrepared, forOwner } from './prepared.ts';

export async function prepareClaim(effect: EffectOf<'vhtlc.claim'>, context: ArkadeContext): Promise<void> {
  const preimage = preimageOf(effect.terms.hash, context);
  const coin = await spendable(effect, 'claim', context);
  if (coin === null) return;
  const prepared = await arkadeOf(context.ports).prepareClaim({
    terms: effect.terms,
    key: effect.key,
    coins: [coin],
    preimage,
  });
  await answerPrepared(context, 'claim', forOwner(effect.key, prepared));
}

export async function prepareRefund(effect: EffectOf<'vhtlc.refund'>, context: ArkadeContext): Promise<void> {
  const { mtp } = furthest(context.clock.now().bitcoin);
  if (mtp === null || mtp < effect.terms.refundLocktime)
    throw new NotYet(null, 'the refund is locked until median time past reaches its locktime');
  const coin = await spendable(effect, 'refund', context);
  if (coin === null) return;
  const prepared = await arkadeOf(context.ports).prepareRefund({ terms: effect.terms, key: effect.key, coins: [coin] });
  await answerPrepared(context, 'refund', forOwner(effect.key, prepared));
}
