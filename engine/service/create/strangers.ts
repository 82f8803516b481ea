import { PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import type { Hash160, Sha256 } from '../../domain/hash.ts';
import type { LightningPort } from '../../legs/lightning/port.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import type { ServiceContext } from '../context.ts';
import { usedHash } from './create.ts';
import { createPatience, type Patience } from './patience.ts';

/*
 * What stands under a hash at our Lightning node before the swap is opened was made by somebody else, or in a time that
 * a restored database forgot: neither is ours (DECISIONS.md, "A note before every call"). What is ours claims the hash
 * before it acts and keeps it, so whatever of ours came between this look and the claim of the caller is refused there.
 */

/**
 * Refuses the hash of an invoice that exists, but for one that a create of ours was abandoned with: nobody knows that.
 */
export async function strangersInvoice(context: ServiceContext, hash: Sha256, left: Patience): Promise<Refusal | null> {
  const { store } = context.runtime;
  const key = hash160OfSha256(hash);
  const used = usedBefore(context, key, 'preimage');
  if (used !== null) return used;
  const state = await withinPatience(context, left, (lightning) => lightning.hold(hash));
  if ('refusal' in state) return state;
  const { is } = state;
  return is === 'absent' || (is === 'open' && store.intents.known('invoice', key)) ? null : usedHash('preimage');
}

/**
 * Refuses an invoice that our node has paid or tried to pay: what comes of that is not this swap's to claim
 * (facts/faults.md 47).
 */
export async function strangersPayment(
  context: ServiceContext,
  hash: Sha256,
  hashOf: 'preimage' | 'invoice' = 'invoice',
): Promise<Refusal | null> {
  const used = usedBefore(context, hash160OfSha256(hash), hashOf);
  if (used !== null) return used;
  const state = await withinPatience(context, createPatience(context), (lightning) => lightning.payment(hash));
  if ('refusal' in state) return state;
  return state.is === 'absent' ? null : usedHash(hashOf);
}

function usedBefore({ runtime }: ServiceContext, hash: Hash160, whose: 'preimage' | 'invoice'): Refusal | null {
  return runtime.store.hashes.usedBy(hash) === null ? null : usedHash(whose);
}

async function withinPatience<T extends object>(
  { runtime, config }: ServiceContext,
  left: Patience,
  ask: (lightning: LightningPort) => Promise<T>,
): Promise<T | Refusal> {
  const { lightning } = runtime.ports;
  const silent = refuse(
    'unavailable',
    `The Lightning node did not answer within ${config.timing.createWaitSeconds} seconds: try again later.`,
  );
  if (lightning === null) return silent;
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<Refusal>((resolve) => {
      timer = setTimeout(() => resolve(silent), left());
    });
    return await Promise.race([ask(lightning), late]);
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('unavailable', `The Lightning node does not answer now: try again later.`);
  } finally {
    clearTimeout(timer);
  }
}
