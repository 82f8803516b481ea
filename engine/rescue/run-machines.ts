import { setTimeout as pause } from 'node:timers/promises';
import type { EvmNetwork } from '../domain/chain.ts';
import type { Unix } from '../domain/time.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import type { RescueEntry } from '../legs/rescue.ts';
import type { Ceilings } from '../quote/ceilings.ts';
import type { RulesOf } from '../runtime/networks/evm/rules.ts';
import type { Ports } from '../runtime/ports.ts';
import { createRuntime, type Runtime } from '../runtime/runtime.ts';
import type { PartialNotes } from '../store/partial-notes.ts';
import { rescueActs } from './acts.ts';
import { entryOf, storedOf } from './entry.ts';
import { knows, restore, type Scratch } from './scratch.ts';
import type { ExitPaths } from './exit-paths.ts';

/**
 * How long they run, in milliseconds: a look every `poll`, no move by time alone for the first `looks`; until nothing
 * is open any more or nothing moved for `quiet`, and no longer than `most`.
 */
export interface MachinePatience {
  readonly poll: number;
  readonly looks: number;
  readonly quiet: number;
  readonly most: number;
}

export interface RunMachines {
  readonly swaps: readonly RescueEntry[];
  /** Those that go on. */
  readonly which: ReadonlySet<string>;
  /** Their secret may be public: what was given for it is not taken back, whatever their machine comes to. */
  readonly shown: ReadonlySet<string>;
  readonly ports: Ports;
  readonly wall: () => Unix;
  readonly ceilings: Ceilings;
  readonly rules: RulesOf;
  /** What partial signatures of ours were given for, whenever the bundle was written. */
  readonly partials: PartialNotes;
  readonly exitPaths: ExitPaths;
  /** What is begun beside the swaps, once everything runs; what came of it is told at the end. */
  readonly beside: (runtime: Runtime) => Promise<Beside>;
  readonly patience: MachinePatience;
  readonly say: (line: string) => void;
  /** Saves what was learned; nothing is done by what is not on the disk. */
  readonly keep: (swaps: readonly RescueEntry[]) => Promise<void>;
}

/** Tells what came of it. `reasonOf`: why the last act for somebody waits, or null. */
export type Beside = (reasonOf: (subject: string) => string | null) => Promise<void>;

/** What the machines came to, and the swaps that are left to their legs: why, is told. */
export interface Ran {
  readonly swaps: readonly RescueEntry[];
  readonly hands: ReadonlySet<string>;
  /** Why the last act for a swap waits. */
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * The machines of the swaps go on from where their node left them, over the owner's own networks, with every act but
 * those that give. A hand goes by the legs of those that have no machine, or whose machine knows less than the networks
 * show.
 */
export async function runMachines(options: RunMachines): Promise<Ran> {
  const { ports, ceilings, rules, patience, say } = options;
  const going = options.swaps.filter(({ id }) => options.which.has(id));
  const scratch = await restore(going, {
    ports: asFirst(ports),
    wall: options.wall,
    pollMs: patience.poll,
    partials: options.partials,
    exitPaths: options.exitPaths,
  });
  const { core, store, refusals } = scratch;
  const changes = new Set<string>();
  let hands: ReadonlySet<string> = new Set();
  let swaps = options.swaps;
  let saving = Promise.resolve();
  /** When a commit was last, and how many acts are under way: one that fails again and again moves nothing. */
  let moved = performance.now();
  let running = 0;
  const reasons = new Map<string, string>();

  /** One after the other, so that the last one that is written holds all. */
  function save(): Promise<void> {
    saving = saving.then(async () => {
      if (changes.size === 0) return;
      changes.clear();
      swaps = swaps.map((entry) => laterOf(entry, scratch));
      await options.keep(swaps);
    });
    return saving;
  }

  for (const [id, why] of refusals) say(`${id}: its legs are recovered one by one, for ${why}.`);
  const tell = core.onAlert(({ swap, sentence }) => {
    if (swap === null || scratch.ids.includes(swap)) say(swap === null ? sentence : `${swap}: ${sentence}`);
  });
  const runtime = createRuntime(core, {
    pollMs: patience.poll,
    looksFirstMs: patience.looks,
    ceilings: () => ceilings,
    evm: rules,
    acts: rescueActs({
      async during(subject, act) {
        running += 1;
        try {
          await save();
          await act();
          reasons.delete(subject);
        } catch (cause) {
          reasons.set(subject, cause instanceof Error ? cause.message : String(cause));
          throw cause;
        } finally {
          running -= 1;
        }
      },
      isShown: (swap) => options.shown.has(swap),
    }),
    bundle: {
      track({ row }) {
        if (scratch.ids.includes(row.id)) changes.add(row.id);
        moved = performance.now();
      },
      async holds() {
        await save();
        return true;
      },
    },
  });
  try {
    await runtime.start();
    const report = await options.beside(runtime);
    moved = performance.now();
    const end = moved + patience.most;
    const isQuiet = (): boolean => running === 0 && performance.now() - moved >= patience.quiet;
    const isOver = (): boolean => core.workingSet.size === 0 && runtime.outbox.size === 0;
    while (!isOver() && !isQuiet() && performance.now() < end) await pause(patience.poll);
    await report((subject) => reasons.get(subject) ?? null);
  } finally {
    await runtime.stop();
    tell();
    await save();
    for (const id of scratch.ids) say(`${id}: ${whereItIs(core, id, reasons.get(id))}.`);
    hands = handsOf(scratch, options.shown);
    store.close();
  }
  return { swaps, hands, reasons };
}

/**
 * Those without a machine; and those whose machine is over, gave something up, or does not know that their secret may
 * be public.
 */
function handsOf({ core, store, ids, refusals }: Scratch, shown: RunMachines['shown']): ReadonlySet<string> {
  const isDone = (id: string): boolean => core.workingSet.find(id)?.row.open !== true;
  const gaveUp = (id: string): boolean => store.effects.of(id).some(({ parked }) => parked !== null);
  const isBehind = (id: string): boolean => shown.has(id) && !knows(id, core);
  return new Set([...refusals.keys(), ...ids.filter((id) => isDone(id) || gaveUp(id) || isBehind(id))]);
}

/** What its machine came to, who is waited for, and why it does not go on. */
function whereItIs({ workingSet }: Scratch['core'], id: string, reason: string | undefined): string {
  const swap = workingSet.find(id);
  if (swap === null) return 'its machine has forgotten it';
  const { row, machine } = swap;
  const why = reason === undefined || !row.open ? '' : `: ${reason.replace(/\.$/, '')}`;
  return `its state is ${row.progress.at}; next: ${machine.nextAction(row.terms, row.progress)}${why}`;
}

/** A swap as it stands now. A secret that may be public stays so, whatever its state knows of it. */
function laterOf(entry: RescueEntry, { core, store, ids }: Scratch): RescueEntry {
  const swap = ids.includes(entry.id) ? core.workingSet.find(entry.id) : null;
  if (swap === null) return entry;
  const next = entryOf(swap, store);
  if (next === null) return { ...entry, stored: storedOf(swap, store) };
  return entry.shown ? { ...next, shown: true, secret: entry.secret ?? next.secret } : next;
}

/**
 * On an EVM chain the first nonce that is not mined is taken, in the place of whatever waits there: all that may wait
 * is ours, and each act can be repeated.
 */
function asFirst(ports: Ports): Ports {
  const chains = Object.entries(ports).flatMap(([name, port]): [string, EvmPort][] => {
    if (!name.startsWith('evm:')) return [];
    const chain = port as Ports[EvmNetwork];
    const nonces: EvmPort['nonces'] = async () => {
      const { mined } = await chain.nonces();
      return { mined, pending: mined };
    };
    return [[name, { ...chain, nonces }]];
  });
  return { ...ports, ...Object.fromEntries(chains) };
}
