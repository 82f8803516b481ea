import { coinsByScript } from '../domain/by-script.ts';
import { PortFailure } from '../domain/errors.ts';
import { sameBytes } from '../domain/hash.ts';
import { toHex } from '../domain/hex.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../domain/outpoint.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import type { Vtxo } from '../legs/arkade/vtxo.ts';
import { listsOf, type Lists } from '../runtime/networks/arkade/lists.ts';
import { ifKnown } from '../runtime/networks/if-known.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { type Coin, save } from './exit-paths.ts';

interface Watched {
  readonly script: Uint8Array;
  /** Of the swap that looks at it. */
  readonly version: number;
  /** The coins that the swap goes by. */
  readonly named: readonly Outpoint[];
}

/**
 * Looks at which an operator shows something that brings no coin to the chain, before a person is told: its lists lag
 * behind.
 */
const oddLooks = 3;
/**
 * Milliseconds between two looks at one whose way is not there, the first and the longest; and how many such are
 * remembered.
 */
const shortestPauseMs = 2_000;
const longestPauseMs = 600_000;
/**
 * The longest for scripts that show no coin while their swap stands still: a coin that moved nothing waits so long for
 * its way.
 */
const longestBareMs = 60_000;
const mostPostponed = 10_000;
/**
 * Of one script so many coins, the largest, have a way beside those that its swap goes by: dust costs a stranger
 * nothing (facts/faults.md 98).
 */
const mostOfScript = 3;
/** Coins whose way is read in one look: a list of inventions costs no more. */
const mostAtOnce = 200;

/** What is left to be had at a script is there. */
function isFull(coins: readonly Vtxo[]): boolean {
  return coins.some(({ spent, unrolled, recoverable }) => !spent && !unrolled && !recoverable);
}

/** The coin that a swap counted, or takes. */
function ownCoinOf(progress: { readonly at: string }): readonly Outpoint[] {
  return 'coin' in progress && isOutpoint(progress.coin) ? [progress.coin] : [];
}

function isOutpoint(value: unknown): value is Outpoint {
  return typeof value === 'object' && value !== null && 'txid' in value && 'vout' in value;
}

/** What the looks go by, and what they remember. */
interface Exiting {
  readonly runtime: Runtime;
  readonly store: Runtime['store'];
  readonly clock: Runtime['clock'];
  readonly log: Runtime['log'];
  /** How often what the operator shows of a coin was refused. */
  readonly odd: Map<string, number>;
  /** A coin whose way is not there to be read is asked for less and less often. */
  readonly later: Map<string, { readonly times: number; readonly notBefore: number }>;
  /**
   * Scripts that are left alone, for they show no coin or all that matter have their way, and the version of their swap
   * at the last look: most swaps that are open wait for their client.
   */
  rested: Map<string, { readonly version: number; readonly times: number; readonly notBefore: number }>;
}

/**
 * Keeps, for every coin of ours and of open swaps, what brings it to the chain without its operator: verified before it
 * is saved, saved while the operator still answers, dropped when the coin is gone. A coin without it hangs on the
 * operator alone.
 */
export function createExits({ runtime, onChanged }: { readonly runtime: Runtime; onChanged?(): void }) {
  const { store, ports, clock, log } = runtime;

  const own: Exiting = { runtime, store, clock, log, odd: new Map(), later: new Map(), rested: new Map() };

  return {
    async look(): Promise<void> {
      const { arkade, bitcoin } = ports;
      if (arkade === null || bitcoin === null) return;
      const before = store.exits.revision();
      const watched = scripts(own);
      prune(own, watched);
      const waiting: { readonly coin: string; readonly cause: string }[] = [];
      for (const coin of await coinsWithout(own, watched, arkade)) {
        try {
          const reason = await save(own, coin, arkade, bitcoin);
          if (reason === null) forget(own, outpointKey(coin.outpoint));
          else {
            postpone(own, coin);
            refuse(own, coin, reason);
          }
        } catch (cause) {
          postpone(own, coin);
          waiting.push({ coin: outpointKey(coin.outpoint), cause: String(cause) });
        }
      }
      if (store.exits.revision() !== before) onChanged?.();
      const [first] = waiting;
      if (first !== undefined)
        log.info({ coins: waiting.length, first }, 'the way of coins to the chain is not saved yet');
    },
  };
}

function pauseAfter(times: number, longestMs: number): number {
  return times < oddLooks ? 0 : Math.min(longestMs, shortestPauseMs * 2 ** (times - oddLooks));
}

function postpone({ later }: Exiting, { outpoint }: Coin): void {
  const key = outpointKey(outpoint);
  const times = (later.get(key)?.times ?? 0) + 1;
  const pause = pauseAfter(times, longestPauseMs);
  if (later.size >= mostPostponed) later.clear();
  later.set(key, { times, notBefore: performance.now() + pause });
}

function isDue({ later }: Exiting, outpoint: Outpoint): boolean {
  return (later.get(outpointKey(outpoint))?.notBefore ?? 0) <= performance.now();
}

function forget({ odd, later }: Exiting, key: string): void {
  odd.delete(key);
  later.delete(key);
}

/** Scripts of VHTLCs that open swaps look at, by their hex. */
function scripts({ runtime }: Exiting): Map<string, Watched> {
  const watched = new Map<string, Watched>();
  for (const { row, machine } of runtime.workingSet.all()) {
    const watches = machine.watches(row.terms, row.progress);
    for (const watch of watches)
      if (watch.on === 'vhtlc') {
        const queued = watches.flatMap((one) =>
          one.on === 'queue' && sameBytes(one.script, watch.script) ? one.coins : [],
        );
        const { script } = watch;
        watched.set(toHex(script), { script, version: row.version, named: [...ownCoinOf(row.progress), ...queued] });
      }
  }
  return watched;
}

/** A swap that moved may have a coin now, and is asked for at once. */
function isDueAt(own: Exiting, name: string, { version }: Watched): boolean {
  const rest = own.rested.get(name);
  return rest?.version !== version || rest.notBefore <= performance.now();
}

/** Coins that have no way yet, of those that matter. */
function without({ store }: Exiting, coins: readonly Vtxo[], { named }: Watched): readonly Vtxo[] {
  const isNamed = ({ outpoint }: Vtxo): boolean => named.some((one) => sameOutpoint(one, outpoint));
  const there = coins.filter(({ spent, unrolled, recoverable }) => !spent && !unrolled && !recoverable);
  const others = there.filter((coin) => !isNamed(coin)).sort((a, b) => Number(b.amount - a.amount));
  return [...there.filter(isNamed), ...others.slice(0, mostOfScript)].filter(
    ({ outpoint }) => !store.exits.has(outpoint),
  );
}

/**
 * Null where nobody answers, and nothing hangs on it now: each of the scripts has a way already, and is asked for
 * again.
 */
async function dueLists(
  { store }: Exiting,
  due: readonly (readonly [string, Watched])[],
  arkade: ArkadePort,
): Promise<Lists | null> {
  const scripts = due.map(([, { script }]) => script);
  try {
    return await listsOf(arkade, scripts);
  } catch (cause) {
    if (!(cause instanceof PortFailure) || scripts.some((script) => store.exits.at(script).length === 0)) throw cause;
    return null;
  }
}

async function coinsOf(own: Exiting, watched: Map<string, Watched>, arkade: ArkadePort): Promise<readonly Coin[]> {
  const due = [...watched].filter(([name, one]) => isDueAt(own, name, one));
  const lists = await dueLists(own, due, arkade);
  if (lists === null) return [];
  const { byScript, unlisted } = lists;
  const points = due.flatMap(([, { script, named }]) => (unlisted.includes(script) ? named : []));
  const byName = coinsByScript(points.length === 0 ? [] : ((await ifKnown(() => arkade.coinsAt(points))) ?? []));
  const next = new Map([...own.rested].filter(([name]) => watched.has(name)));
  const missing: Coin[] = [];
  for (const [name, one] of due) {
    const { version } = one;
    const coins = byScript.get(name) ?? byName.get(name) ?? [];
    const bare = without(own, coins, one);
    missing.push(...bare);
    if (bare.length > 0) next.delete(name);
    else {
      const before = own.rested.get(name);
      const times = before?.version === version ? before.times + 1 : 1;
      const rest = isFull(coins) ? Infinity : performance.now() + pauseAfter(times, longestBareMs);
      next.set(name, { version, times, notBefore: rest });
    }
  }
  own.rested = next;
  return missing;
}

async function coinsWithout(own: Exiting, watched: Map<string, Watched>, arkade: ArkadePort): Promise<Coin[]> {
  const { store } = own;
  const coins: Coin[] = [];
  const rows = store.ownCoins
    .all()
    .filter((row) => !row.unrolled && isDue(own, row.outpoint) && !store.exits.has(row.outpoint))
    .sort((a, b) => Number(b.amount - a.amount));
  const listed =
    rows.length === 0 ? [] : await arkade.coinsAt(rows.slice(0, mostAtOnce).map(({ outpoint }) => outpoint));
  for (const { outpoint, expiresAt, spent, recoverable } of listed) {
    const row = rows.find((one) => sameOutpoint(one.outpoint, outpoint));
    if (row !== undefined && !spent && !recoverable)
      coins.push({ outpoint, amount: row.amount, script: await arkade.scriptUnder(row), expiresAt });
  }
  for (const coin of await coinsOf(own, watched, arkade)) if (isDue(own, coin.outpoint)) coins.push(coin);
  return coins.slice(0, mostAtOnce);
}

function refuse({ runtime, log, odd }: Exiting, coin: Coin, reason: string): void {
  const key = outpointKey(coin.outpoint);
  const times = (odd.get(key) ?? 0) + 1;
  odd.set(key, times);
  log.warn({ coin: key, reason }, 'what the operator shows does not bring a coin to the chain');
  if (times === oddLooks)
    runtime.alert(
      null,
      `The Arkade operator does not show how coin ${key} of ${coin.amount} sats gets to the chain (${reason}), so ` +
        'that coin cannot leave without the operator. Ask the operator, and begin no new swap with it until it ' +
        'answers.',
    );
}

/** What nobody has any more: neither the wallet nor an open swap. */
function prune({ store }: Exiting, watched: Map<string, Watched>): void {
  const own = new Set(store.ownCoins.all().map(({ outpoint }) => outpointKey(outpoint)));
  const over = store.exits
    .coins()
    .filter(({ outpoint, script }) => !own.has(outpointKey(outpoint)) && !watched.has(toHex(script)));
  if (over.length === 0) return;
  store.atomically(() => {
    for (const { outpoint } of over) store.exits.forget(outpoint);
    store.exits.prune();
  });
}
