import { furthest } from '../../../domain/time.ts';
import type { PreparedArkTx } from '../../../legs/arkade/transaction.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';
import { NotYet } from '../../not-yet.ts';
import { arkadeOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { preimageOf } from '../preimage.ts';
import { spendable } from './coin.ts';
import { answerPrepared, forOwner } from './prepared.ts';
import { tooLateToClaim } from './submit.ts';

export async function prepareClaim(effect: EffectOf<'vhtlc.claim'>, context: ArkadeContext): Promise<void> {
  const reason = tooLateToClaim(effect, context);
  if (reason !== null)
    return context.answer({
      is: 'vhtlc.refused',
      purpose: 'claim',
      txid: null,
      coin: effect.coin,
      why: 'late',
      reason,
    });
  const preimage = preimageOf(effect.terms.hash, context);
  const prepared = (one: Vtxo): Promise<PreparedArkTx> =>
    arkadeOf(context.ports).prepareClaim({ terms: effect.terms, key: effect.key, coins: [one], preimage });
  const isByUs = async (one: Vtxo): Promise<boolean> => (await prepared(one)).txid === one.spentIn;
  const coin = await spendable(effect, 'claim', context, isByUs);
  if (coin === null) return;
  await answerPrepared(context, { purpose: 'claim', coin: effect.coin }, forOwner(effect.key, await prepared(coin)));
}

export async function prepareRefund(effect: EffectOf<'vhtlc.refund'>, context: ArkadeContext): Promise<void> {
  const { mtp } = furthest(context.clock.now().bitcoin);
  if (mtp === null || mtp < effect.terms.refundLocktime)
    throw new NotYet(null, 'the refund is locked until median time past reaches its locktime');
  const coin = await spendable(effect, 'refund', context);
  if (coin === null) return;
  const prepared = await arkadeOf(context.ports).prepareRefund({ terms: effect.terms, key: effect.key, coins: [coin] });
  await answerPrepared(context, { purpose: 'refund', coin: effect.coin }, forOwner(effect.key, prepared));
}
