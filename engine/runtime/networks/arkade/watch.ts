import { coinsByScript } from '../../../domain/by-script.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { sameOutpoint, type Outpoint } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import type { KeyRef } from '../../../legs/signer.ts';
import type { ArkadePort, ArkadeSubscription } from '../../../legs/arkade/port.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';
import type { VhtlcTerms } from '../../../legs/arkade/terms.ts';
import type { SeenCoin } from '../../../legs/arkade/events.ts';
import type { ArkadeWatch } from '../../../legs/arkade/watch.ts';
import type { Store } from '../../../store/store.ts';
import type { Event } from '../../../swap/machine.ts';
import { largestOf, notOnChain } from './lists.ts';
import { broughtCoins, isBrought } from './on-chain.ts';
import { createQueueWatch } from './queue.ts';
import { readSpendOf, unreadSpenders, withPending, type Reading, type Sources } from './spends.ts';

interface Watched extends Reading {
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

/** Scripts asked for in one request: a query string has its limits. */
const scriptsPerLook = 40;
/** A script with more coins is asked for alone, so that no list of all grows too long for the operator to give. */
const mostTogether = 200;
/**
 * Of these some are for what is merely looked at again: events that a stranger makes without end keep nobody else
 * waiting (facts/faults.md 89).
 */
const keptForRoutine = 10;

/**
 * Looks at the scripts of open swaps: at once when the operator says that something happened there, and all of them
 * every now and then, because subscriptions lose events and pending spends make none (facts/arkade.md 17 and 51). Coins
 * that lie on the chain are looked for there.
 */
export function createVhtlcWatch(options: {
  arkade: ArkadePort;
  bitcoin: BitcoinPort | null;
  store: Store;
  wall: () => Unix;
  deliver: (swapId: string, event: Event) => void;
  onFailure: (swapId: string | null, cause: unknown) => void;
  pollMs: number;
}) {
  const { arkade, bitcoin, store } = options;
  const watched = new Map<string, Watched>();
  /** What the operator spoke of comes before what is merely looked at again: a preimage may wait there. */
  const urgent = new Set<string>();
  const wanted = new Set<string>();
  let subscription: ArkadeSubscription | null = null;
  let looking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  /** Looks at one script that are under way. */
  const apart = new Map<string, Promise<void>>();
  const queue = createQueueWatch({
    arkade,
    wall: options.wall,
    onClaim(script, coin, spend) {
      for (const swapId of watched.get(script)?.swapIds ?? [])
        tell(swapId, { is: 'vhtlc.seen', coins: [{ ...coin, spend }] });
    },
    onFailure: (cause) => options.onFailure(null, cause),
  });

  /** Told apart for each: what one client made of its transaction must not blind us to the others. */
  function tell(swapId: string, event: Event): void {
    try {
      options.deliver(swapId, event);
    } catch (cause) {
      options.onFailure(swapId, cause);
    }
  }

  function ask(keys: Iterable<string>, how: 'urgent' | 'routine' = 'routine'): void {
    for (const key of keys) (how === 'urgent' ? urgent : wanted).add(key);
    if (looking !== null || stopped || urgent.size + wanted.size === 0) return;
    looking = lookAtWanted().finally(() => {
      looking = null;
      ask([]);
    });
  }

  async function lookAtWanted(): Promise<void> {
    for (const from of [urgent, wanted]) for (const key of from) if (!watched.has(key)) from.delete(key);
    const first = [...urgent].slice(0, scriptsPerLook - keptForRoutine);
    const keys = [...new Set([...first, ...wanted, ...urgent])].slice(0, scriptsPerLook);
    for (const key of keys) {
      urgent.delete(key);
      wanted.delete(key);
    }
    try {
      await look(keys.map((key) => watched.get(key)).filter((one) => one !== undefined));
    } catch (cause) {
      options.onFailure(null, cause); // the next poll looks again
    }
  }

  /**
   * A list that fails for one script fails for all that are asked for with it: a stranger who pays a script ten
   * thousand times must not blind us to the others, nor to what is ours at that one (facts/faults.md 95). So each is
   * asked for alone then, and what is not listed by name.
   */
  async function look(group: readonly Watched[]): Promise<void> {
    for (const one of group) if (one.apart) lookApart(one);
    const shared = group.filter(({ apart }) => !apart);
    const askedAt = options.wall();
    try {
      await lookAt(shared);
    } catch (cause) {
      const unlisted = await unlistedOf(shared);
      const isAway = !(await lookByName(unlisted)) && unlisted.length === shared.length;
      if (isAway) await lookOnChain(unlisted, askedAt);
      else for (const one of unlisted) one.apart = true;
      throw cause;
    }
  }

  /** Each is asked for alone. */
  async function unlistedOf(group: readonly Watched[]): Promise<readonly Watched[]> {
    if (group.length === 1) return group;
    const looks = await Promise.allSettled(group.map((one) => lookAt([one])));
    return group.filter((_, i) => looks[i]?.status === 'rejected');
  }

  /** However long its list takes, nobody else waits for it. */
  function lookApart(one: Watched): void {
    const key = toHex(one.script);
    if (apart.has(key)) return;
    const askedAt = options.wall();
    const work = lookAt([one])
      .catch(async (cause: unknown) => {
        if (!(await lookByName([one]))) await lookOnChain([one], askedAt);
        options.onFailure(null, cause);
      })
      .finally(() => apart.delete(key));
    apart.set(key, work);
  }

  async function lookAt(group: readonly Watched[]): Promise<void> {
    if (group.length === 0) return;
    const askedAt = options.wall();
    const coins = await arkade.coins(group.map(({ script }) => script));
    const byScript = coinsByScript(coins);
    await readEach(group, byScript, askedAt);
    for (const one of group) {
      const vtxos = byScript.get(toHex(one.script)) ?? [];
      one.listed = largestOf(vtxos);
      one.apart = vtxos.length > mostTogether;
    }
  }

  /** What is known of scripts whose list is not to be had. False where that is not to be had either. */
  async function lookByName(group: readonly Watched[]): Promise<boolean> {
    const askedAt = options.wall();
    const named = group.flatMap(({ queued, listed }) => [...queued, ...listed]);
    if (named.length === 0) return false;
    try {
      const byScript = coinsByScript(await arkade.coinsAt(named));
      const shown = group.filter(({ script }) => byScript.has(toHex(script)));
      await readEach(shown, byScript, askedAt);
      return true;
    } catch (cause) {
      if (cause instanceof PortFailure) return false;
      throw cause;
    }
  }

  async function readEach(
    group: readonly Watched[],
    byScript: ReadonlyMap<string, readonly Vtxo[]>,
    askedAt: Unix,
  ): Promise<void> {
    const seen = group.map((one) => ({ one, coins: byScript.get(toHex(one.script)) ?? [] }));
    const spenders = await arkade.virtualTxs(unreadSpenders(seen));
    await Promise.all(seen.map(({ one, coins: vtxos }) => read(one, { coins: vtxos, spenders, askedAt })));
  }

  /** Without the operator: what the chain shows of coins whose way there was saved. */
  async function lookOnChain(group: readonly Watched[], askedAt: Unix): Promise<void> {
    for (const one of group) {
      const coins = await broughtCoins(one.script, { store, bitcoin });
      if (coins.length > 0) await read(one, { coins, spenders: new Map(), askedAt });
    }
  }

  /** What the operator cannot explain is looked for on the chain, where its word is none. */
  async function spendOf(one: Watched, coin: Vtxo, from: Sources): Promise<SeenCoin> {
    const seenCoin = await readSpendOf(one, coin, from);
    return seenCoin.spend === 'unknown' && !coin.unrolled && (await isBrought(coin.outpoint, { store, bitcoin }))
      ? readSpendOf(one, { ...coin, unrolled: true }, from)
      : seenCoin;
  }

  async function read(
    one: Watched,
    {
      coins: vtxos,
      spenders,
      askedAt,
    }: { coins: readonly Vtxo[]; spenders: ReadonlyMap<string, Uint8Array>; askedAt: Unix },
  ): Promise<void> {
    const key = toHex(one.script);
    try {
      const isQueued = ({ outpoint }: Vtxo): boolean => one.queued.some((each) => sameOutpoint(each, outpoint));
      const unasked = notOnChain(vtxos, (coin) => isQueued(coin) || store.exits.has(coin.outpoint));
      const from = (coin: Vtxo): Sources => ({ spenders, arkade, bitcoin: unasked.has(coin) ? null : bitcoin });
      const spends = await Promise.all(vtxos.map((coin) => spendOf(one, coin, from(coin))));
      const coins = await withPending(one, spends, arkade);
      if (!watched.has(key)) return;
      const queued = vtxos.filter(isQueued);
      if (one.key !== null) queue.track(key, queued, { terms: one.terms, key: one.key, always: one.always });
      for (const swapId of [...one.swapIds]) tell(swapId, { is: 'vhtlc.seen', coins, asked: askedAt });
    } catch (cause) {
      for (const swapId of one.swapIds) options.onFailure(swapId, cause);
    }
  }

  function start(): void {
    subscription = arkade.watch({
      onScript: (script) => ask([toHex(script)], 'urgent'),
      onGap: () => ask(watched.keys()),
    });
    if (watched.size > 0) subscription.add([...watched.values()].map(({ script }) => script));
    ask(watched.keys());
    queue.start();
    timer = setInterval(() => ask(watched.keys()), options.pollMs);
  }

  return {
    start,
    add(swapId: string, terms: VhtlcTerms, script: Uint8Array): void {
      const key = toHex(script);
      const entry = watched.get(key);
      if (entry === undefined) {
        watched.set(key, {
          swapIds: new Set([swapId]),
          terms,
          script,
          key: null,
          always: false,
          queued: [],
          listed: [],
          apart: false,
          spends: new Map(),
          final: new Set(),
          unread: new Map(),
        });
        subscription?.add([script]);
      } else {
        entry.swapIds.add(swapId);
      }
      ask([key]);
    },
    remove(swapId: string, script: Uint8Array): void {
      const key = toHex(script);
      const entry = watched.get(key);
      entry?.swapIds.delete(swapId);
      if (entry?.swapIds.size !== 0) return;
      watched.delete(key);
      queue.forget(key);
      subscription?.remove([script]);
    },
    /** Reads the operator's queue over coins of a script that is watched, with our key in it. */
    prove({ script, key, always, coins }: Omit<Extract<ArkadeWatch, { on: 'queue' }>, 'on'>): void {
      const one = watched.get(toHex(script));
      if (one === undefined) return;
      one.key = key;
      one.always = always;
      one.queued = coins;
      ask([toHex(script)]);
    },
    unprove(script: Uint8Array): void {
      const one = watched.get(toHex(script));
      if (one !== undefined) one.key = null;
      queue.forget(toHex(script));
    },
    async stop(): Promise<void> {
      stopped = true;
      if (timer !== null) clearInterval(timer);
      await subscription?.stop();
      await queue.stop();
      await looking;
      await Promise.all(apart.values());
    },
  };
}
