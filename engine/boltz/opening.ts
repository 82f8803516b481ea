import type { BitcoinNetwork } from '../domain/chain.ts';
import type { CreateCommon } from '../contract/requests/common.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { PublicKey, Sha256 } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import { arkadePrefix, encodeArkadeAddress } from '../legs/arkade/address.ts';
import { vhtlcOutput } from '../legs/arkade/script.ts';
import { htlcAddress } from '../legs/onchain/htlc.ts';
import type { Price } from '../quote/fees.ts';
import { noPrice } from '../service/create/create.ts';
import type { Webhook } from '../store/boltz-swaps.ts';
import type { DoorContext } from './context.ts';
import { newId, userIdOf } from './ids.ts';
import { eaten } from './offer.ts';
import { sidesOf, type ArkLock, type BtcLock } from './sides.ts';
import { findSwap, type DoorSwap } from './swap.ts';

interface Opening {
  /** By which its client finds it again. */
  readonly keys: readonly PublicKey[];
  /** Null for one that is agreed on once its invoice is named. */
  readonly price: Price | null;
  /** Of `DoorTerms`. */
  readonly hash?: Sha256 | undefined;
  readonly least?: Sats | undefined;
  readonly webhook: Webhook | undefined;
  /** Null for the owner. */
  readonly client: string | null;
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
  const { keys, price, hash, least, client, descriptionHash } = of;
  const webhook = of.webhook === undefined ? null : { ...of.webhook, ...(client === null ? {} : { client }) };
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
      ...(least === undefined ? {} : { least }),
      vhtlc: 'loose',
      ...(descriptionHash === undefined ? {} : { descriptionHash }),
      opened: (swapId) => door.context.runtime.store.boltzSwaps.insert(id, swapId, keys, webhook),
    },
  });
  const swap = isRefusal(created) ? created : findSwap(door, id);
  return isRefusal(swap) || isWhereItIsPaid(door, swap) ? swap : misplaced;
}

const misplaced = refuse('unavailable', 'An address of this swap is not that of its script: pay nothing to it.');

/** Whether each lock is paid where its terms say: one at another address is nobody's to take. */
function isWhereItIsPaid({ context: { config } }: DoorContext, swap: DoorSwap): boolean {
  const { source, target } = sidesOf(swap);
  return [source, target].every((lock) => lock === null || lock.address === addressOf(lock, config.network));
}

function addressOf({ on, terms }: ArkLock | BtcLock, network: BitcoinNetwork): string {
  if (on === 'BTC') return htlcAddress(terms, network);
  const { outputKey } = vhtlcOutput(terms);
  return encodeArkadeAddress({ prefix: arkadePrefix(network), operator: terms.operator, outputKey });
}

export function noPair({ from, to }: { readonly from: string; readonly to: string }): Refusal {
  return refuse('invalid', `no pair from ${from} to ${to}: GET the pairs for what is swapped here`);
}
