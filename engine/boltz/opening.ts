import type { CreateCommon } from '../contract/requests/common.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { PublicKey, Sha256 } from '../domain/hash.ts';
import type { Price } from '../quote/fees.ts';
import { noPrice } from '../service/create/create.ts';
import type { Webhook } from '../store/boltz-swaps.ts';
import type { DoorContext } from './context.ts';
import { newId, userIdOf } from './ids.ts';
import { eaten } from './offer.ts';
import { findSwap, type DoorSwap } from './swap.ts';

interface Opening {
  /** By which its client finds it again. */
  readonly keys: readonly PublicKey[];
  /** Null for one that is agreed on once its invoice is named. */
  readonly price: Price | null;
  /** Of `DoorTerms`. */
  readonly hash?: Sha256 | undefined;
  readonly webhook: Webhook | undefined;
  readonly descriptionHash?: Sha256 | undefined;
}

/**
 * Opens a swap by one of the node's own creates, at a price of this interface. What the door keeps of it, by which its
 * client finds it again, is saved in the same transaction.
 */
export async function openThrough(
  door: DoorContext,
  of: Opening,
  create: (common: CreateCommon) => Promise<object | Refusal>,
): Promise<DoorSwap | Refusal> {
  const { keys, price, hash, webhook = null, descriptionHash } = of;
  const nothing = price === null ? null : eaten(price);
  if (nothing !== null) return nothing;
  const id = newId();
  const created = await create({
    userId: userIdOf(id),
    extraFeesBps: 0,
    referralCode: null,
    door: {
      price: price ?? noPrice,
      ...(hash === undefined ? {} : { hash }),
      vhtlc: 'loose',
      ...(descriptionHash === undefined ? {} : { descriptionHash }),
      opened: (swapId) => door.context.runtime.store.boltzSwaps.insert(id, swapId, keys, webhook),
    },
  });
  return isRefusal(created) ? created : findSwap(door, id);
}

export function noPair({ from, to }: { readonly from: string; readonly to: string }): Refusal {
  return refuse('invalid', `no pair from ${from} to ${to}: GET the pairs for what is swapped here`);
}
