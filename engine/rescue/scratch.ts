import { randomBytes } from 'node:crypto';
import { decodeInvoice } from '../adapters/lnd/decode.ts';
import type { Unix } from '../domain/time.ts';
import type { RescueEntry, StoredSwap } from '../legs/rescue.ts';
import { createCore, type RunningCore } from '../runtime/core.ts';
import { forgetHanded } from '../runtime/networks/arkade/handed.ts';
import type { Ports } from '../runtime/ports.ts';
import type { AnyMachine, Entry } from '../runtime/working-set.ts';
import { countGiven } from '../service/htlc/cosign.ts';
import { machinesOf } from '../service/machines.ts';
import { openScratch } from '../store/open.ts';
import type { PartialNotes } from '../store/partial-notes.ts';
import { createSealer } from '../store/sealer.ts';
import { createStore, type Store } from '../store/store.ts';
import { ownCoinsOf, restoreExitPaths, type ExitPaths } from './exit-paths.ts';

/*
 * Swaps of a bundle in a database that lives as long as the command does, each in the state in which its node left it.
 *
 * Loses money when wrong: a state that owes something, and nothing asked for.
 */

const machines = machinesOf(decodeInvoice);

export interface Scratch {
  readonly core: RunningCore;
  readonly store: Store;
  /** Those that are in it; why each other is not. */
  readonly ids: readonly string[];
  readonly refusals: ReadonlyMap<string, string>;
}

/** Everything is asked for again that a state owes; nothing runs yet. */
export async function restore(
  swaps: readonly RescueEntry[],
  {
    ports,
    wall,
    pollMs,
    partials,
    exitPaths,
  }: {
    readonly ports: Ports;
    readonly wall: () => Unix;
    readonly pollMs: number;
    readonly partials: PartialNotes;
    readonly exitPaths: ExitPaths;
  },
): Promise<Scratch> {
  const store = createStore(openScratch(), createSealer(randomBytes(32)), undefined, { partials });
  restoreExitPaths(store, exitPaths);
  for (const { outpoint, amount, under } of ownCoinsOf(exitPaths))
    store.ownCoins.keep({ outpoint, amount, ...under }, wall());
  const core = createCore({ store, machines, ports, wall, log: silent, tipMs: pollMs });
  await core.clock.first();
  const refusals = new Map<string, string>();
  const ids = swaps.flatMap((entry) => {
    const why = refusalOf(entry, core);
    if (why === null) return [entry.id];
    refusals.set(entry.id, why);
    return [];
  });
  // What it noted of a payment, a shown secret, a refund or a batch was lost with its database: each may have been.
  store.intents.noteOpen(machines);
  forgetHanded({ swaps: ids, until: wall() }, store);
  countGiven(core);
  for (const { id, shown } of swaps) if (shown && ids.includes(id)) store.intents.note('payment', id, null);
  return { core, store, ids, refusals };
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Its state says that the secret is public. */
export function knows(id: string, { workingSet }: Pick<RunningCore, 'workingSet'>): boolean {
  const swap = workingSet.find(id);
  return swap?.machine.rescue?.(swap.row.terms, swap.row.progress)?.shown === true;
}

/** Why its legs alone are gone by; null where the swap is in the database now. */
function refusalOf({ id, direction, secret, stored, shown }: RescueEntry, core: RunningCore): string | null {
  if (stored === null) return 'the bundle holds no state of it';
  const machine = machines.find(({ name }) => name === direction);
  if (machine === undefined) return `this build knows no swaps of ${direction}`;
  try {
    const entry = entryOf(id, machine, stored);
    put(entry, { stored, secret, shown }, core);
    return null;
  } catch (cause) {
    return `its state cannot be read (${cause instanceof Error ? cause.message.split('\n')[0] : String(cause)})`;
  }
}

/** Throws for what is not of the forms of its machine. */
function entryOf(id: string, machine: AnyMachine, stored: StoredSwap): Entry {
  const { createdAt, status, valueSats, termsVersion, progressVersion } = stored;
  const { terms, progress } = machine.shape;
  return {
    machine,
    row: {
      ...{ id, machine: machine.name, createdAt, updatedAt: createdAt, status, valueSats },
      ...{ version: 0, open: true, flag: null, userId: null },
      terms: terms.read(stored.terms, termsVersion),
      progress: progress.read(stored.progress, progressVersion),
      termsVersion: terms.version,
      progressVersion: progress.version,
    },
  };
}

function put(
  { row, machine }: Entry,
  { stored, secret: publicSecret, shown }: Pick<RescueEntry, 'secret' | 'shown'> & { readonly stored: StoredSwap },
  core: RunningCore,
): void {
  const { store, clock } = core;
  const { id, terms } = row;
  const now = clock.now();
  const resumed = machine.resume?.(terms, row.progress, now, shown) ?? { progress: row.progress, effects: [] };
  const hash = machine.hash160(terms);
  const secret = stored.secret ?? publicSecret;
  store.atomically(() => {
    store.swaps.insert({ ...row, progress: resumed.progress });
    store.hashes.claim(hash, id);
    if (secret !== null) store.preimages.keep(hash, secret, now.wall);
    for (const { state, ...sent } of stored.transactions) {
      store.transactions.insert({ ...sent, subject: id, inputs: [] }, now.wall);
      if (state === 'accepted') store.transactions.accepted(sent.txid, sent.bytes, now.wall);
    }
    for (const effect of resumed.effects) store.effects.insert(id, effect, 0);
  });
}
