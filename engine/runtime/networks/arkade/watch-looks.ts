import { coinsByScript } from '../../../domain/by-script.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { sameOutpoint, type Outpoint } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import type { KeyRef } from '../../../legs/signer.ts';
import type { ArkadePort, ArkadeSubscription } from '../../../legs/arkade/port.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';
import type { SeenCoin } from '../../../legs/arkade/events.ts';
import { isByWord } from '../../../legs/arkade/spend.ts';
import type { Store } from '../../../store/store.ts';
import type { Event } from '../../../swap/machine.ts';
import { largestOf, notOnChain } from './lists.ts';
import { broughtCoins, isBrought } from './on-chain.ts';
import { type createQueueWatch } from './queue.ts';
import { readSpendOf, unreadSpenders, withPending, type Reading, type Sources } from './spends.ts';

/** A script with more coins is asked for alone, so that no list of all grows too long for the operator to give. */
const mostTogether = 200;

export interface Watched extends Reading {
  /** A node that swaps with itself watches one script for both of its sides. */
  readonly swapIds: Set<string>;
  readonly script: Uint8Array;
  key: KeyRef | null;
  /** Whether the operator's queue is read before a coin expired. */
  always: boolean;
  /** Over which coins. */
  queued: readonly Outpoint[];
  /** Coins that were listed last, the largest: what is looked at where the operator gives no list any more. */
  listed: readonly Outpoint[];
  /** Its list is asked for alone: it fails, or is long. */
  apart: boolean;
}

export interface WatchOptions {
  readonly arkade: ArkadePort;
  readonly bitcoin: BitcoinPort | null;
  readonly store: Store;
  readonly wall: () => Unix;
  readonly deliver: (swapId: string, event: Event) => void;
  readonly onFailure: (swapId: string | null, cause: unknown) => void;
  readonly pollMs: number;
}

/** What the looks at VHTLCs go by, and what they remember. */
export interface Watch {
  readonly options: WatchOptions;
  readonly arkade: ArkadePort;
  readonly bitcoin: BitcoinPort | null;
  readonly store: Store;
  readonly watched: Map<string, Watched>;
  /** What the operator spoke of comes before what is merely looked at again: a preimage may wait there. */
  readonly urgent: Set<string>;
  readonly wanted: Set<string>;
  subscription: ArkadeSubscription | null;
  looking: Promise<void> | null;
  timer: NodeJS.Timeout | null;
  stopped: boolean;
  /** Looks at one script that are under way. */
  readonly apart: Map<string, Promise<void>>;
  readonly queue: ReturnType<typeof createQueueWatch>;
}

/** Told apart for each: what one client made of its transaction must not blind us to the others. */
export function tell({ options }: Pick<Watch, 'options'>, swapId: string, event: Event): void {
  try {
    options.deliver(swapId, event);
  } catch (cause) {
    options.onFailure(swapId, cause);
  }
}

/** Each is asked for alone. */
export async function unlistedOf(own: Watch, group: readonly Watched[]): Promise<readonly Watched[]> {
  if (group.length === 1) return group;
  const looks = await Promise.allSettled(group.map((one) => lookAt(own, [one])));
  return group.filter((_, i) => looks[i]?.status === 'rejected');
}

export async function lookAt(own: Watch, group: readonly Watched[]): Promise<void> {
  const { options, arkade } = own;
  if (group.length === 0) return;
  const askedAt = options.wall();
  const coins = await arkade.coins(group.map(({ script }) => script));
  const byScript = coinsByScript(coins);
  await readEach(own, group, byScript, askedAt);
  for (const one of group) {
    const vtxos = byScript.get(toHex(one.script)) ?? [];
    one.listed = largestOf(vtxos);
    one.apart = vtxos.length > mostTogether;
  }
}

/** What is known of scripts whose list is not to be had. False where that is not to be had either. */
export async function lookByName(own: Watch, group: readonly Watched[]): Promise<boolean> {
  const { options, arkade } = own;
  const askedAt = options.wall();
  const named = group.flatMap(({ queued, listed }) => [...queued, ...listed]);
  if (named.length === 0) return false;
  try {
    const byScript = coinsByScript(await arkade.coinsAt(named));
    const shown = group.filter(({ script }) => byScript.has(toHex(script)));
    await readEach(own, shown, byScript, askedAt);
    return true;
  } catch (cause) {
    if (cause instanceof PortFailure) return false;
    throw cause;
  }
}

async function readEach(
  own: Watch,
  group: readonly Watched[],
  byScript: ReadonlyMap<string, readonly Vtxo[]>,
  askedAt: Unix,
): Promise<void> {
  const { arkade } = own;
  const seen = group.map((one) => ({ one, coins: byScript.get(toHex(one.script)) ?? [] }));
  const spenders = await arkade.virtualTxs(unreadSpenders(seen));
  await Promise.all(seen.map(({ one, coins: vtxos }) => read(own, one, { coins: vtxos, spenders, askedAt })));
}

/** Without the operator: what the chain shows of coins whose way there was saved. */
export async function lookOnChain(own: Watch, group: readonly Watched[], askedAt: Unix): Promise<void> {
  const { bitcoin, store } = own;
  for (const one of group) {
    const coins = await broughtCoins(one.script, { store, bitcoin });
    if (coins.length > 0) await read(own, one, { coins, spenders: new Map(), askedAt });
  }
}

/**
 * What the operator alone calls spent is looked for on the chain, where its word is none: by whatever it shows, a leaf
 * that somebody signed as well (facts/faults.md 350). A claim with its receiver's signature is one wherever it is.
 */
async function spendOf({ bitcoin, store }: Watch, one: Watched, coin: Vtxo, from: Sources): Promise<SeenCoin> {
  const seenCoin = await readSpendOf(one, coin, from);
  return isByWord(seenCoin) && !coin.unrolled && (await isBrought(coin.outpoint, { store, bitcoin }))
    ? readSpendOf(one, { ...coin, unrolled: true }, from)
    : seenCoin;
}

async function read(
  own: Watch,
  one: Watched,
  {
    coins: vtxos,
    spenders,
    askedAt,
  }: { coins: readonly Vtxo[]; spenders: ReadonlyMap<string, Uint8Array>; askedAt: Unix },
): Promise<void> {
  const { options, arkade, bitcoin, store, watched, queue } = own;
  const key = toHex(one.script);
  try {
    const isQueued = ({ outpoint }: Vtxo): boolean => one.queued.some((each) => sameOutpoint(each, outpoint));
    const unasked = notOnChain(vtxos, (coin) => isQueued(coin) || store.exits.has(coin.outpoint));
    const from = (coin: Vtxo): Sources => ({ spenders, arkade, bitcoin: unasked.has(coin) ? null : bitcoin });
    const spends = await Promise.all(vtxos.map((coin) => spendOf(own, one, coin, from(coin))));
    const coins = await withPending(one, spends, arkade);
    if (!watched.has(key)) return;
    const queued = vtxos.filter(isQueued);
    if (one.key !== null) queue.track(key, queued, { terms: one.terms, key: one.key, always: one.always });
    for (const swapId of [...one.swapIds]) tell(own, swapId, { is: 'vhtlc.seen', coins, asked: askedAt });
  } catch (cause) {
    for (const swapId of one.swapIds) options.onFailure(swapId, cause);
  }
}
