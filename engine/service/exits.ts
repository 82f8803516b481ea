import { coinsByScript } from '../domain/by-script.ts';
import { PortFailure } from '../domain/errors.ts';
import { sameBytes } from '../domain/hash.ts';
import { toHex } from '../domain/hex.ts';
import { sats, type Sats } from '../domain/money.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../domain/outpoint.ts';
import type { Unix } from '../domain/time.ts';
import { exitTransactionFailure, exitTransactions, inputsOf, outputsOf } from '../legs/arkade/exit-path.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import type { Vtxo } from '../legs/arkade/vtxo.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import { readTx, type Prevout } from '../legs/psbt.ts';
import { outputAt, readRawTx } from '../legs/raw-tx.ts';
import { listsOf, type Lists } from '../runtime/networks/arkade/lists.ts';
import { ifKnown } from '../runtime/networks/if-known.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ExitOutput, ExitTransaction } from '../store/exits.ts';

/** A coin of ours at the operator. */
interface Coin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly script: Uint8Array;
  readonly expiresAt: Unix;
}

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

/**
 * Keeps, for every coin of ours and of open swaps, what brings it to the chain without its operator: verified before it
 * is saved, saved while the operator still answers, dropped when the coin is gone. A coin without it hangs on the
 * operator alone.
 */
export function createExits({ runtime, onChanged }: { readonly runtime: Runtime; onChanged?(): void }) {
  const { store, ports, clock, log } = runtime;
  /** How often what the operator shows of a coin was refused. */
  const odd = new Map<string, number>();
  /** A coin whose way is not there to be read is asked for less and less often. */
  const later = new Map<string, { readonly times: number; readonly notBefore: number }>();

  /**
   * Scripts that are left alone, for they show no coin or all that matter have their way, and the version of their swap
   * at the last look: most swaps that are open wait for their client.
   */
  let rested = new Map<string, { readonly version: number; readonly times: number; readonly notBefore: number }>();

  function pauseAfter(times: number, longestMs: number): number {
    return times < oddLooks ? 0 : Math.min(longestMs, shortestPauseMs * 2 ** (times - oddLooks));
  }

  function postpone({ outpoint }: Coin): void {
    const key = outpointKey(outpoint);
    const times = (later.get(key)?.times ?? 0) + 1;
    const pause = pauseAfter(times, longestPauseMs);
    if (later.size >= mostPostponed) later.clear();
    later.set(key, { times, notBefore: performance.now() + pause });
  }

  function isDue(outpoint: Outpoint): boolean {
    return (later.get(outpointKey(outpoint))?.notBefore ?? 0) <= performance.now();
  }

  function forget(key: string): void {
    odd.delete(key);
    later.delete(key);
  }

  /** Null once it is saved; else why what is shown does not bring it there. Throws for what another look may find. */
  async function save(coin: Coin, arkade: ArkadePort, bitcoin: BitcoinPort): Promise<string | null> {
    const { mtp, height } = clock.now().bitcoin;
    if (mtp === null || height === null) throw new Error('the Bitcoin chain was not read yet');
    const way = store.exits.transaction(coin.outpoint.txid) === null ? await read(coin.outpoint, arkade) : nothing;
    if (way === null) return 'its transactions are not all shown, with all their signatures';
    const outputs = new Map<string, Prevout>();
    const roots: ExitOutput[] = [];
    for (const outpoint of way.roots) {
      const output = (await savedOutput(outpoint)) ?? (await rootOf(outpoint, bitcoin));
      if (output === null) throw new Error(`the chain does not show ${outpointKey(outpoint)} yet`);
      outputs.set(outpointKey(outpoint), output);
      if (store.exits.transaction(outpoint.txid) === null)
        roots.push({ outpoint, script: output.script, amount: sats(output.amount) });
    }
    const transactions: ExitTransaction[] = [];
    for (const bytes of way.transactions) {
      const tx = readTx(bytes);
      if (tx === null) return 'one of its transactions is none';
      const failure = exitTransactionFailure(tx, outputs, { mtp, height });
      if (failure !== null) return `${tx.id}: ${failure}`;
      transactions.push({ txid: tx.id, parents: inputsOf(tx), bytes });
      for (const [vout, output] of outputsOf(tx).entries()) outputs.set(outpointKey({ txid: tx.id, vout }), output);
    }
    const paid = outputs.get(outpointKey(coin.outpoint)) ?? (await savedOutput(coin.outpoint));
    if (paid === null || paid === undefined || !sameBytes(paid.script, coin.script) || paid.amount !== coin.amount)
      return 'they do not pay our script the amount that the coin is said to hold';
    store.atomically(() => store.exits.save(coin, { transactions, roots }, coin.expiresAt));
    return null;
  }

  const nothing = { transactions: [], roots: [] } as const;

  async function read(coin: Outpoint, arkade: ArkadePort) {
    return exitTransactions(coin, await arkade.exitTxs(coin, (txid) => store.exits.transaction(txid) !== null));
  }

  /** Of a transaction that was verified before, or of a root of one. */
  async function savedOutput(outpoint: Outpoint): Promise<Prevout | null> {
    const saved = store.exits.transaction(outpoint.txid);
    if (saved === null) return store.exits.root(outpoint);
    const tx = readTx(saved.bytes);
    return tx === null ? null : (outputsOf(tx)[outpoint.vout] ?? null);
  }

  /** Of a commitment: the chain says what it pays, and not the operator. */
  async function rootOf({ txid, vout }: Outpoint, bitcoin: BitcoinPort): Promise<Prevout | null> {
    const tx = readRawTx((await bitcoin.transaction(txid))?.bytes ?? new Uint8Array());
    return tx?.txid === txid ? outputAt(tx, vout) : null;
  }

  /** Scripts of VHTLCs that open swaps look at, by their hex. */
  function scripts(): Map<string, Watched> {
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
  function isDueAt(name: string, { version }: Watched): boolean {
    const rest = rested.get(name);
    return rest?.version !== version || rest.notBefore <= performance.now();
  }

  /** Coins that have no way yet, of those that matter. */
  function without(coins: readonly Vtxo[], { named }: Watched): readonly Vtxo[] {
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
  async function dueLists(due: readonly (readonly [string, Watched])[], arkade: ArkadePort): Promise<Lists | null> {
    const scripts = due.map(([, { script }]) => script);
    try {
      return await listsOf(arkade, scripts);
    } catch (cause) {
      if (!(cause instanceof PortFailure) || scripts.some((script) => store.exits.at(script).length === 0)) throw cause;
      return null;
    }
  }

  async function coinsOf(watched: Map<string, Watched>, arkade: ArkadePort): Promise<readonly Coin[]> {
    const due = [...watched].filter(([name, one]) => isDueAt(name, one));
    const lists = await dueLists(due, arkade);
    if (lists === null) return [];
    const { byScript, unlisted } = lists;
    const points = due.flatMap(([, { script, named }]) => (unlisted.includes(script) ? named : []));
    const byName = coinsByScript(points.length === 0 ? [] : ((await ifKnown(() => arkade.coinsAt(points))) ?? []));
    const next = new Map([...rested].filter(([name]) => watched.has(name)));
    const missing: Coin[] = [];
    for (const [name, one] of due) {
      const { version } = one;
      const coins = byScript.get(name) ?? byName.get(name) ?? [];
      const bare = without(coins, one);
      missing.push(...bare);
      if (bare.length > 0) next.delete(name);
      else {
        const before = rested.get(name);
        const times = before?.version === version ? before.times + 1 : 1;
        const rest = isFull(coins) ? Infinity : performance.now() + pauseAfter(times, longestBareMs);
        next.set(name, { version, times, notBefore: rest });
      }
    }
    rested = next;
    return missing;
  }

  async function coinsWithout(watched: Map<string, Watched>, arkade: ArkadePort): Promise<Coin[]> {
    const coins: Coin[] = [];
    const rows = store.ownCoins
      .all()
      .filter((row) => !row.unrolled && isDue(row.outpoint) && !store.exits.has(row.outpoint))
      .sort((a, b) => Number(b.amount - a.amount));
    const listed =
      rows.length === 0 ? [] : await arkade.coinsAt(rows.slice(0, mostAtOnce).map(({ outpoint }) => outpoint));
    for (const { outpoint, expiresAt, spent, recoverable } of listed) {
      const row = rows.find((one) => sameOutpoint(one.outpoint, outpoint));
      if (row !== undefined && !spent && !recoverable)
        coins.push({ outpoint, amount: row.amount, script: await arkade.scriptUnder(row), expiresAt });
    }
    for (const coin of await coinsOf(watched, arkade)) if (isDue(coin.outpoint)) coins.push(coin);
    return coins.slice(0, mostAtOnce);
  }

  function refuse(coin: Coin, reason: string): void {
    const key = outpointKey(coin.outpoint);
    const times = (odd.get(key) ?? 0) + 1;
    odd.set(key, times);
    log.warn({ coin: key, reason }, 'what the operator shows does not bring a coin to the chain');
    if (times === oddLooks)
      runtime.alert(
        null,
        `The Arkade operator shows nothing that brings coin ${key} of ${coin.amount} sats to the chain ` +
          `(${reason}): without it that coin hangs on the operator alone. Ask the operator, and begin nothing new ` +
          'with it until it is answered.',
      );
  }

  /** What nobody has any more: neither the wallet nor an open swap. */
  function prune(watched: Map<string, Watched>): void {
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

  return {
    async look(): Promise<void> {
      const { arkade, bitcoin } = ports;
      if (arkade === null || bitcoin === null) return;
      const before = store.exits.revision();
      const watched = scripts();
      prune(watched);
      const waiting: { readonly coin: string; readonly cause: string }[] = [];
      for (const coin of await coinsWithout(watched, arkade)) {
        try {
          const reason = await save(coin, arkade, bitcoin);
          if (reason === null) forget(outpointKey(coin.outpoint));
          else {
            postpone(coin);
            refuse(coin, reason);
          }
        } catch (cause) {
          postpone(coin);
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
