import type { PayRequest } from '../../legs/lightning/port.ts';
import { payHeight } from '../../legs/timelocks.ts';
import type { OnlyIf } from '../../swap/machine.ts';
import { isNever, lightningOf, type EffectContext, type EffectOf } from './context.ts';
import { forbidden } from './only-if.ts';

/**
 * Starts the payment of an invoice, once. Asked first, the node tells what became of an earlier try; where it knows
 * nothing although one was begun, that is unknown and never "not paid" (faults.md 22, 23).
 */
export async function pay(effect: EffectOf<'pay'>, context: EffectContext): Promise<void> {
  const { ports, store, row, answer } = context;
  const lightning = lightningOf(ports);
  const known = await lightning.payment(effect.payment.hash);
  if (known.is !== 'absent') {
    answer({ is: 'payment.seen', state: known });
    return;
  }
  const begunBefore = store.effects.hasBegun(row.id);
  const payment = limited(effect.payment, effect.onlyIf, context);
  const reason = await forbidden(effect.onlyIf, payment.maxTimeoutHeight, context);
  if (reason !== null) {
    answer(begunBefore ? { is: 'payment.started' } : { is: 'payment.refused', reason });
    return;
  }
  store.effects.begun(row.id);
  try {
    await lightning.pay(payment);
    answer({ is: 'payment.started' });
  } catch (cause) {
    if (!isNever(cause)) throw cause;
    // This try was refused for good; an earlier one may still be on its way through the node.
    answer(begunBefore ? { is: 'payment.started' } : { is: 'payment.refused', reason: cause.message });
  }
}

/** Blocks may have come faster or slower than the clock since the height was pinned: the lower limit holds. */
function limited(payment: PayRequest, { coin }: OnlyIf, { clock }: EffectContext): PayRequest {
  const { wall, height } = clock.now();
  if (coin === undefined || height === null) return payment;
  const now = payHeight({ now: wall, height, refundLocktime: coin.refundLocktime, policy: coin.policy });
  return { ...payment, maxTimeoutHeight: Math.min(payment.maxTimeoutHeight, now) };
}
