import { hash160OfSha256 } from '../../legs/secret.ts';
import { isNever, lightningOf, type EffectContext, type EffectOf } from './context.ts';

export async function createHold(effect: EffectOf<'hold.create'>, { ports, answer }: EffectContext): Promise<void> {
  try {
    const invoice = await lightningOf(ports).createHold(effect);
    answer({ is: 'hold.created', bolt11: invoice.bolt11, expiresAt: invoice.expiresAt });
  } catch (cause) {
    if (!isNever(cause)) throw cause;
    answer({ is: 'hold.refused', reason: cause.message });
  }
}

/** Repeated until the node says settled; only its own word that the money is gone ends it. */
export async function settleHold(effect: EffectOf<'hold.settle'>, { ports, store, answer }: EffectContext): Promise<void> {
  const preimage = store.preimages.find(hash160OfSha256(effect.hash));
  if (preimage === null) throw new Error('the preimage of a claimed swap is not in the store');
  const lightning = lightningOf(ports);
  try {
    await lightning.settle(preimage);
    answer({ is: 'hold.settled' });
  } catch (cause) {
    if (!isNever(cause)) throw cause;
    const state = await lightning.hold(effect.hash);
    // Still held, or unknown to this node: given up where the owner sees it, and tried again. A node that was connected
    // by mistake or restored from nothing knows no invoice, and the right one may be back before the payment times out.
    if (state.is !== 'settled' && state.is !== 'cancelled') throw cause;
    answer({ is: 'hold.seen', state });
  }
}

export async function cancelHold(effect: EffectOf<'hold.cancel'>, { ports, answer }: EffectContext): Promise<void> {
  const lightning = lightningOf(ports);
  try {
    const state = await lightning.hold(effect.hash);
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
