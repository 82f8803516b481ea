import { PortFailure } from '../../../domain/errors.ts';
import { isRead } from '../../../domain/time.ts';
import type { PayRequest } from '../../../legs/lightning/port.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { mostParts } from '../../../legs/lightning/closing-cost.ts';
import { payHeight } from '../../../legs/lightning/timelocks.ts';
import { unreadOf } from '../../../legs/safety/outlives.ts';
import { unread } from '../../../legs/safety/verdict.ts';
import { lockSpan, type OursToClaim, paymentSpan, vhtlcSpan } from '../../../legs/spans.ts';
import type { TimeoutPolicy } from '../../../legs/timeout-policy.ts';
import type { OnlyIf } from '../../../legs/only-if.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import { isNever, lightningOf } from '../../ports.ts';
import { NotYet } from '../../not-yet.ts';
import type { EffectOf } from '../act.ts';
import type { LightningContext } from './context.ts';
import { refundInDoubt } from '../refund-in-doubt.ts';
import { conditionsOf, tooLate } from '../late.ts';
import { begunOf, restoreBegun } from './begun.ts';
import { partsToBegin } from './closing.ts';
import { heightInStep } from './in-step.ts';

/**
 * Starts the payment of an invoice, once. The clock is looked at before the node is asked: one that is away keeps
 * nobody from a refund when nothing was begun (facts/faults.md 54). Asked, the node tells what became of an earlier
 * try; where it knows nothing although one was begun, that is unknown and never "not paid" (facts/faults.md 22, 23).
 * What it knows although none was begun is somebody else's payment (facts/faults.md 47). Where its refund may have been
 * signed, in a time that a restored database forgot, only what was paid then goes on (facts/faults.md 5). None is
 * begun for a client while the node has no coins to take it back with, should its channel close (facts/faults.md 337).
 */
export async function pay(effect: EffectOf<'pay'>, context: LightningContext): Promise<void> {
  const { ports, store, row, answer, together } = context;
  const { hash } = effect.payment;
  const begunBefore = store.intents.has('payment', row.subject);
  const late = begunBefore ? null : tooLate(effect.onlyIf, context.clock.now());
  if (late !== null) return answer({ is: 'payment.refused', reason: late });
  const lightning = lightningOf(ports);
  const state = await lightning.payment(hash);
  if (state.is !== 'absent') {
    return answer(
      begunBefore
        ? { is: 'payment.seen', state, unsure: true }
        : {
            is: 'payment.refused',
            reason: 'The Lightning node has paid this invoice, or tried to, outside this swap.',
          },
    );
  }
  const inDoubt = refundInDoubt(store, row.subject);
  if (inDoubt !== null) return answer({ is: 'payment.refused', reason: inDoubt, unsure: true });
  const payment = limited(effect.payment, effect.onlyIf, context);
  // Before what is looked at: nothing is waited for between the last look and the act.
  const earlier = begunOf(lightning, hash);
  const parts = conditionsOf(effect.onlyIf).length === 0 ? mostParts : await partsToBegin(hash, ports);
  const reason = await context.judge.forbidden(effect.onlyIf, payment.maxTimeoutHeight, async () => begunBefore);
  if (reason !== null) {
    restoreBegun(lightning, hash, earlier);
    return answer(begunBefore ? { is: 'payment.started', unsure: true } : { is: 'payment.refused', reason });
  }
  if (typeof parts === 'string') throw new NotYet(null, parts);
  await heightInStep(context).catch((cause: unknown) => {
    restoreBegun(lightning, hash, earlier);
    throw cause;
  });
  store.intents.note('payment', row.subject, hash160OfSha256(hash));
  try {
    await lightning.pay({ ...payment, maxParts: parts });
  } catch (cause) {
    if (cause instanceof PortFailure && cause.retry === 'safe' && !begunBefore)
      store.intents.drop('payment', row.subject);
    // Nothing of this try is sent.
    if (isNever(cause) || (cause instanceof PortFailure && cause.retry === 'safe'))
      restoreBegun(lightning, hash, earlier);
    if (!isNever(cause)) throw cause;
    // This try was refused for good; an earlier one may still be on its way through the node.
    return answer(
      begunBefore ? { is: 'payment.started', unsure: true } : { is: 'payment.refused', reason: cause.message },
    );
  }
  await together(() => answer({ is: 'payment.started', ...(begunBefore ? { unsure: true } : {}) }));
}

/**
 * Blocks may have come faster or slower than the clock since the height was pinned: the lower limit holds. A clock that
 * is unread leaves no limit to go by, and one that is read while the payment is judged would make it too late for good.
 */
function limited(payment: PayRequest, onlyIf: OnlyIf, { clock }: LightningContext): PayRequest {
  const claim = claimOf(onlyIf);
  if (claim === null) return payment;
  const clocks = clock.now();
  const doubt = unreadOf({ sure: claim.sure, given: paymentSpan(payment.maxTimeoutHeight, claim.policy) }, clocks);
  if (doubt !== null || !isRead(clocks)) throw new NotYet(null, (doubt ?? unread).sentence);
  return { ...payment, maxTimeoutHeight: Math.min(payment.maxTimeoutHeight, payHeight({ ...claim, clocks })) };
}

/** What the client gave for the payment, where a time ends it; null where nothing does, or a height. */
function claimOf({ coin, deposit }: OnlyIf): { readonly sure: OursToClaim; readonly policy: TimeoutPolicy } | null {
  if (coin !== undefined) return { sure: vhtlcSpan(coin.refundLocktime), policy: coin.policy };
  if (deposit === undefined) return null;
  return { sure: lockSpan(deposit.network, lockEnd(deposit)), policy: deposit.policy };
}
