import { seenCoins } from '../refund/seen-coins.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { after, day, expectedAt, hasPassed, hour, seconds, type Clocks, type Unix } from '../../domain/time.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { Log } from '../../runtime/log.ts';
import { listsOf } from '../../runtime/networks/arkade/lists.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { createRounds } from '../rounds.ts';

/** Scripts asked for in one request, as everywhere: a query string has its limits. */
const atOnce = 40;
/**
 * Swaps judged, and trimmed in one commit, before everybody else has a turn: a millisecond or two on an idle machine.
 */
const perTurn = 10;
/** For so long after its client's locktime the story of a swap that was never funded is kept. */
const keptFor = seconds(7 * day);

/**
 * Creates cost nothing, and each leaves a swap for ever: of those that were never funded the journal is dropped and the
 * terms are packed (facts/faults.md 53), once their scripts, if they have one, were seen to be empty. Afterwards their
 * scripts are looked at once a day, in turn: money that comes late is seen, and its refund signed. One request a round
 * each, however long the history; a round has nothing to do with the number of open swaps.
 */
export function createTrimming(options: { runtime: Runtime; everyMs: number; log: Log }) {
  const { runtime, log } = options;
  const { store, ports, clock, workingSet, commits } = runtime;
  const start = { createdAt: 0, id: '' };
  let from = start;
  let restedAt: Unix | null = null;
  let lastSwept = '';
  let sweptAt: Unix | null = null;

  async function coinsOf(entries: readonly Entry[]): Promise<Coins | null> {
    const scripts = entries.map(scriptOf).filter((script) => script !== null);
    if (scripts.length === 0) return new Map();
    if (ports.arkade === null) return null;
    const { byScript, unlisted } = await listsOf(ports.arkade, scripts);
    // What cannot be read now keeps no other one from being read, and is no empty script.
    return new Map([...byScript, ...unlisted.map((script) => [toHex(script), null] as const)]);
  }

  /** Late money wakes its swap, as if it had been watched all the time. */
  function wake({ row }: Entry, coins: readonly Vtxo[]): void {
    try {
      commits.deliver(row.id, seenCoins(coins));
    } catch (cause) {
      log.error({ swap: row.id, cause: String(cause) }, 'late money could not be noted; the next look tries again');
    }
  }

  async function trim(): Promise<void> {
    const { wall } = clock.now();
    if (restedAt !== null && !hasPassed(hour, restedAt, wall)) return;
    const rows = store.swaps.trimmable({ createdBefore: wall - keptFor, after: from, limit: atOnce });
    const due: Entry[] = [];
    for (const [i, { id }] of rows.entries()) {
      // One that cannot be read keeps no other one from being trimmed.
      const entry = workingSet.readable(id);
      const from = entry === null ? null : trimmedFrom(entry, clock.now());
      if (entry !== null && from !== null && from <= wall) due.push(entry);
      if (i % perTurn === perTurn - 1) await nextTurn();
    }
    const funded = await coinsOf(due);
    if (funded === null) return;
    const empty = due.filter((entry) => {
      const coins = coinsIn(funded, entry);
      if (coins !== undefined && coins !== null) wake(entry, coins);
      return coins === undefined;
    });
    for (let i = 0; i < empty.length; i += perTurn) {
      store.atomically(() => {
        for (const { row } of empty.slice(i, i + perTurn)) {
          if (!store.swaps.trim(row)) continue;
          store.journal.forget(row.id);
          store.boltzSwaps.forgetWebhook(row.id);
          // Of a create that was abandoned: an invoice that its lost call may have made has expired long since.
          store.intents.forget(row.id);
        }
      });
      await nextTurn();
    }
    const last = rows.at(-1);
    if (rows.length === atOnce && last !== undefined) from = last;
    else {
      from = start;
      restedAt = wall;
    }
    if (empty.length > 0) log.info({ swaps: empty.length }, 'the journals of swaps that were never funded are dropped');
  }

  async function sweep(): Promise<void> {
    const { wall } = clock.now();
    if (sweptAt !== null && !hasPassed(day, sweptAt, wall)) return;
    const rows = store.swaps.trimmedAfter(lastSwept, atOnce);
    const entries: Entry[] = [];
    for (const [i, id] of rows.entries()) {
      const entry = workingSet.readable(id);
      if (entry !== null) entries.push(entry);
      if (i % perTurn === perTurn - 1) await nextTurn();
    }
    const funded = await coinsOf(entries);
    if (funded === null) return;
    for (const entry of entries) {
      const coins = coinsIn(funded, entry);
      if (coins !== undefined && coins !== null) wake(entry, coins);
    }
    lastSwept = rows.length === atOnce ? (rows.at(-1) ?? '') : '';
    if (lastSwept === '') sweptAt = wall;
  }

  async function once(): Promise<void> {
    try {
      await trim();
      await sweep();
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      log.info({ cause: cause.message }, 'the scripts of old swaps could not be looked at; the next round tries again');
    }
  }

  return createRounds(runtime, {
    name: 'trimming swaps that were never funded',
    everyMs: options.everyMs,
    round: once,
  });
}

/** The coins of each script that has any; null for one that cannot be read now. */
type Coins = ReadonlyMap<string, readonly Vtxo[] | null>;

/** Null while anything is owed, or ever was. */
function trimmedFrom({ row, machine: { unfunded } }: Entry, now: Clocks): Unix | null {
  if (unfunded?.ends.includes(row.progress.at) !== true) return null;
  const end = expectedAt(unfunded.locktime(row.terms), now);
  return end === null ? null : after(end, keptFor);
}

function scriptOf({ row, machine }: Entry): Uint8Array | null {
  return machine.unfunded?.script(row.terms) ?? null;
}

function coinsIn(funded: Coins, entry: Entry) {
  const script = scriptOf(entry);
  return script === null ? undefined : funded.get(toHex(script));
}
