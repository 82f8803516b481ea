import { coinsByScript } from '../../domain/by-script.ts';
import { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import { hour, until, type Unix } from '../../domain/time.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import { listsOf, type Lists } from '../../runtime/networks/arkade/lists.ts';
import { ifKnown } from '../../runtime/networks/if-known.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { deniedIn } from '../../swap/halves/extra-coins.ts';
import { namedCoins } from './named-coins.ts';
import { type Coin, readOnce, save } from './paths.ts';
import { createExitRoots } from './roots.ts';
import { createExitPauses, createMakingWay, oddLooks, pauseAfter, type ExitPauses } from './pauses.ts';

interface Watched {
  readonly script: Uint8Array;
  /** Of the swap that looks at it. */
  readonly version: number;
  /** The coins that the swap goes by. */
  readonly named: readonly Outpoint[];
  /** Coins that are the swap's although the operator calls them spent. */
  readonly denied: readonly Outpoint[];
  /** From then on the other party takes them back. */
  readonly refundLocktime: Unix;
}

/**
 * The longest for scripts that show no coin while their swap stands still: a coin that moved nothing waits so long for
 * its way.
 */
const longestBareMs = 60_000;
/**
 * Of one script so many coins, the largest, have a way beside those that its swap goes by: dust costs a stranger
 * nothing (facts/faults.md 98).
 */
const mostOfScript = 3;
/** Coins whose way is read in one look: a list of inventions costs no more. */
const mostAtOnce = 200;

/** Until the batch of a coin expires: what is so near is looked at as often as ever. */
const soon = 6 * hour;

/** What is left to be had at a script is there. */
function isFull(coins: readonly Vtxo[]): boolean {
  return coins.some(({ spent, unrolled, recoverable }) => !spent && !unrolled && !recoverable);
}

/** What the looks go by, and what they remember. */
interface Exiting {
  readonly runtime: Runtime;
  readonly store: Runtime['store'];
  readonly clock: Runtime['clock'];
  readonly log: Runtime['log'];
  /** How often what the operator shows of a coin was refused. */
  readonly odd: Map<string, number>;
  readonly pauses: ExitPauses;
  readonly makesWay: () => boolean;
  readonly roots: ReturnType<typeof createExitRoots>;
  /** Scripts that are left alone: most swaps that are open wait for their client. */
  rested: Map<string, Rest>;
}

/** Of a script that shows no coin without a way, or none whose turn it is; and the version of its swap then. */
interface Rest {
  readonly version: number;
  readonly times: number;
  readonly notBefore: number;
  /** Coins without a way: the turn of one is that of its script. */
  readonly bare: readonly Outpoint[];
}

/**
 * Keeps, for every coin of ours and of open swaps, what brings it to the chain without its operator: verified before it
 * is saved, saved while the operator still answers, dropped when the coin is gone. A coin without it hangs on the
 * operator alone.
 */
export function createExits({ runtime, onChanged }: { readonly runtime: Runtime; onChanged?(): void }) {
  const { store, ports, clock, log } = runtime;

  const own: Exiting = {
    runtime,
    store,
    clock,
    log,
    odd: new Map(),
    pauses: createExitPauses(),
    makesWay: createMakingWay(() => runtime.outbox.crowded),
    roots: createExitRoots(runtime),
    rested: new Map(),
  };

  let revision = store.exits.revision();
  /** Ways are saved between two looks as well. */
  function tellChanges(): void {
    if (store.exits.revision() !== revision) onChanged?.();
    revision = store.exits.revision();
  }

  return {
    async look(): Promise<void> {
      const { arkade, bitcoin } = ports;
      if (arkade === null || bitcoin === null) return;
      const watched = scripts(own);
      prune(own, watched);
      // An operator that is away ends the look.
      tellChanges();
      const waiting: { readonly coin: string; readonly cause: string }[] = [];
      const chain = readOnce(bitcoin);
      const tip = tipOf(own);
      await own.pauses.onTip(tip, async (txid) => ((await chain.transaction(txid))?.height ?? null) !== null);
      await own.roots.look(chain);
      for (const coin of await coinsWithout(own, watched, arkade)) {
        const { outpoint } = coin;
        try {
          const outcome = await save(own, coin, arkade, chain);
          if (outcome.is === 'saved') forget(own, outpoint);
          else if (outcome.is === 'refused') refuse(own, coin, outcome.reason);
          else {
            own.pauses.untilShown(outpoint, { root: outcome.root, tip, isUrgent: isUrgent(own, watched, coin) });
            const cause = `no block has ${outpointKey(outcome.root)} yet`;
            waiting.push({ coin: outpointKey(outpoint), cause });
          }
        } catch (cause) {
          own.pauses.postpone(outpoint);
          waiting.push({ coin: outpointKey(outpoint), cause: String(cause) });
        }
      }
      tellChanges();
      const [first] = waiting;
      if (first !== undefined)
        log.info({ coins: waiting.length, first }, 'the way of coins to the chain is not saved yet');
    },
  };
}

/** The coin of an open swap, or one that the operator may take soon. */
function isUrgent({ clock }: Exiting, watched: Map<string, Watched>, { script, expiresAt }: Coin): boolean {
  return watched.has(toHex(script)) || until(clock.now().wall, expiresAt) < soon;
}

function tipOf({ clock }: Exiting): string {
  const { height, mtp } = clock.now().bitcoin;
  return `${height} ${mtp}`;
}

function forget({ odd, pauses }: Exiting, coin: Outpoint): void {
  odd.delete(outpointKey(coin));
  pauses.forget(coin);
}

/** Scripts of VHTLCs that open swaps look at, by their hex. */
function scripts({ runtime }: Exiting): Map<string, Watched> {
  const watched = new Map<string, Watched>();
  for (const { row, machine } of runtime.workingSet.all()) {
    const watches = machine.watches(row.terms, row.progress);
    for (const watch of watches)
      if (watch.on === 'vhtlc' && watch.ifNoted === undefined) {
        const { script, terms } = watch;
        const named = namedCoins(row.progress, watches, script);
        const { refundLocktime } = terms;
        const denied = deniedIn(row.progress);
        watched.set(toHex(script), { script, version: row.version, named, denied, refundLocktime });
      }
  }
  return watched;
}

/** A swap that moved may have a coin now, and is asked for at once. */
function isDueAt(own: Exiting, name: string, { version }: Watched): boolean {
  const rest = own.rested.get(name);
  if (rest?.version !== version || rest.notBefore <= performance.now()) return true;
  return rest.bare.some((coin) => own.pauses.isDue(coin));
}

/** Coins that have no way yet, of those that matter. */
function without({ store }: Exiting, coins: readonly Vtxo[], { named, denied }: Watched): readonly Vtxo[] {
  const isIn = (list: readonly Outpoint[], { outpoint }: Vtxo) => list.some((one) => sameOutpoint(one, outpoint));
  const isNamed = (coin: Vtxo): boolean => isIn(named, coin);
  const there = coins.filter((one) => (!one.spent || isIn(denied, one)) && !one.unrolled && !one.recoverable);
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

/** Nothing hangs on a look at it: each coin that its swap goes by has a way, and hours left. */
function canWait({ store, clock }: Exiting, { script, named, refundLocktime }: Watched): boolean {
  const { wall } = clock.now();
  const ways = store.exits.at(script);
  return (
    ways.length > 0 &&
    named.every((coin) => store.exits.has(coin)) &&
    until(wall, refundLocktime) >= soon &&
    ways.every(({ outpoint }) => until(wall, store.exits.expiresAt(outpoint) ?? wall) >= soon)
  );
}

async function coinsOf(
  own: Exiting,
  watched: Map<string, Watched>,
  { arkade, makesWay }: { readonly arkade: ArkadePort; readonly makesWay: boolean },
): Promise<readonly Coin[]> {
  const due = [...watched].filter(([name, one]) => isDueAt(own, name, one) && !(makesWay && canWait(own, one)));
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
    const before = own.rested.get(name);
    const times = before?.version === version ? before.times + 1 : 1;
    const isSaved = bare.length === 0 && isFull(coins);
    const notBefore = isSaved ? Infinity : performance.now() + pauseAfter(times, longestBareMs);
    next.set(name, { version, times, notBefore, bare: bare.map(({ outpoint }) => outpoint) });
  }
  own.rested = next;
  return missing;
}

async function coinsWithout(own: Exiting, watched: Map<string, Watched>, arkade: ArkadePort): Promise<Coin[]> {
  const { store, clock } = own;
  const makesWay = own.makesWay();
  const coins: Coin[] = [];
  const rows = store.ownCoins
    .all()
    .filter((row) => !row.unrolled && own.pauses.isDue(row.outpoint) && !store.exits.has(row.outpoint))
    .sort((a, b) => Number(b.amount - a.amount));
  const listed =
    rows.length === 0 ? [] : await arkade.coinsAt(rows.slice(0, mostAtOnce).map(({ outpoint }) => outpoint));
  for (const { outpoint, expiresAt, spent, recoverable } of listed) {
    const row = rows.find((one) => sameOutpoint(one.outpoint, outpoint));
    const waits = makesWay && until(clock.now().wall, expiresAt) >= soon;
    if (row !== undefined && !spent && !recoverable && !waits)
      coins.push({ outpoint, amount: row.amount, script: await arkade.scriptUnder(row), expiresAt });
  }
  for (const coin of await coinsOf(own, watched, { arkade, makesWay }))
    if (own.pauses.isDue(coin.outpoint)) coins.push(coin);
  return inOrder(coins, watched).slice(0, mostAtOnce);
}

/** Those that swaps go by, then the largest: dust in the wallet stands in front of nothing (facts/faults.md 98). */
function inOrder(coins: readonly Coin[], watched: ReadonlyMap<string, Watched>): Coin[] {
  const named = new Set([...watched.values()].flatMap((one) => one.named.map(outpointKey)));
  const rank = ({ outpoint }: Coin): number => (named.has(outpointKey(outpoint)) ? 0 : 1);
  return coins.toSorted((a, b) => rank(a) - rank(b) || Number(b.amount - a.amount));
}

function refuse({ runtime, log, odd, pauses }: Exiting, coin: Coin, reason: string): void {
  pauses.postpone(coin.outpoint);
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
