import { until } from '../../../domain/time.ts';
import { failedOnLightning } from '../../../legs/lightning/failures.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { NotYet } from '../../not-yet.ts';
import { isNever, lightningOf } from '../../ports.ts';
import type { EffectOf, MemoryClaim } from '../act.ts';
import type { LightningContext } from './context.ts';
import { isGivenFor } from './given.ts';

/**
 * Asks for the invoice, noted before: one that exists already is ours only when an earlier call of ours, for this swap
 * or for one that was abandoned with the same secret, may have made it (facts/faults.md 46).
 */
export async function createHold(
  effect: EffectOf<'hold.create'>,
  { ports, store, clock, row, answer, together }: LightningContext,
): Promise<void> {
  const lightning = lightningOf(ports);
  const hash = hash160OfSha256(effect.hash);
  const again = await together(() => {
    const before = store.intents.known('invoice', hash);
    store.intents.note('invoice', row.subject, hash);
    return before;
  });
  const disown = { always: () => store.intents.disown('invoice', hash) };
  try {
    const { bolt11, expiresAt } = await lightning.createHold({ ...effect, again });
    const now = clock.now().wall;
    // Left by an abandoned create. Its payer is to have half of the agreed time at least, or another secret. One that
    // was made just now lives for as long as it was asked for, whatever clock its node has (facts/faults.md 45).
    if (again && until(now, expiresAt) < until(now, effect.expiresAt) / 2)
      answer(
        { is: 'hold.refused', reason: 'the invoice of an earlier create is about to expire', taken: true },
        disown,
      );
    else await together(() => answer({ is: 'hold.created', bolt11, expiresAt }));
  } catch (cause) {
    if (!isNever(cause)) throw cause;
    answer(
      { is: 'hold.refused', reason: cause.message, ...(failedOnLightning(cause, 'hold-taken') ? { taken: true } : {}) },
      disown,
    );
  }
}

/** Repeated until the node says settled; only its own word that the money is gone ends it. */
export async function settleHold(
  effect: EffectOf<'hold.settle'>,
  { ports, store, answer, together }: LightningContext,
): Promise<void> {
  const preimage = store.preimages.find(hash160OfSha256(effect.hash));
  if (preimage === null) throw new Error('the preimage of a claimed swap is not in the store');
  const lightning = lightningOf(ports);
  try {
    await lightning.settle(preimage);
  } catch (cause) {
    if (!isNever(cause)) throw cause;
    const state = await lightning.hold(effect.hash);
    // Still held, or unknown to this node: given up where the owner sees it, and tried again. A node that was connected
    // by mistake or restored from nothing knows no invoice, and the right one may be back before the payment times out.
    if (state.is !== 'settled' && state.is !== 'cancelled') throw cause;
    return together(() => answer({ is: 'hold.seen', state }));
  }
  await together(() => answer({ is: 'hold.settled' }));
}

/** The preimage is the whole claim: told twice it settles once. */
export async function settleFromMemory(_: EffectOf<'hold.settle'>, { ports, preimage }: MemoryClaim): Promise<boolean> {
  await lightningOf(ports).settle(preimage);
  return true;
}

export async function cancelHold(effect: EffectOf<'hold.cancel'>, context: LightningContext): Promise<void> {
  const { ports, store, row, answer } = context;
  // Nothing that this swap asked for stands under the hash: whatever does is a stranger's, held or not.
  if (!store.intents.has('invoice', row.subject)) return answer({ is: 'hold.cancelled' });
  const lightning = lightningOf(ports);
  try {
    const state = await lightning.hold(effect.hash);
    if (state.is === 'held' && (await isGivenFor(context)))
      throw new NotYet(
        null,
        'our lock for this payment is out, made in a time that the restored database forgot',
        true,
      );
    // Creating it comes before cancelling it in the outbox: an invoice that is absent now was never made.
    if (state.is !== 'absent') await lightning.cancel(effect.hash);
    answer({ is: 'hold.cancelled' });
  } catch (cause) {
    if (!isNever(cause)) throw cause;
    const { is } = await lightning.hold(effect.hash);
    if (is !== 'cancelled' && is !== 'absent') throw cause;
    answer({ is: 'hold.cancelled' });
  }
}
