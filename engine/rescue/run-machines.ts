import { setTimeout as pause } from 'node:timers/promises';
import type { EvmNetwork } from '../domain/chain.ts';
import type { Unix } from '../domain/time.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import type { RescueEntry } from '../legs/rescue.ts';
import type { Ceilings } from '../quote/ceilings.ts';
import type { RulesOf } from '../runtime/networks/evm/rules.ts';
import type { Ports } from '../runtime/ports.ts';
import { createRuntime } from '../runtime/runtime.ts';
import type { PartialNotes } from '../store/partial-notes.ts';
import { rescueActs } from './acts.ts';
import { entryOf, storedOf } from './entry.ts';
import { restore, type Scratch } from './scratch.ts';

/**
 * How long they run, in milliseconds: a look every `poll`, no move by time alone for the first `looks`; until nothing
 * moved for `quiet`, and no longer than `most`.
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
  readonly ports: Ports;
  readonly wall: () => Unix;
  readonly ceilings: Ceilings;
  readonly rules: RulesOf;
  /** What partial signatures of ours were given for, whenever the bundle was written. */
  readonly partials: PartialNotes;
  readonly patience: MachinePatience;
  readonly say: (line: string) => void;
  /** Saves what was learned; nothing is done by what is not on the disk. */
  readonly keep: (swaps: readonly RescueEntry[]) => Promise<void>;
}

/**
 * The machines of the swaps go on from where their node left them, over the owner's own networks, with every act but
 * those that give. What they came to is answered; what is left of a leg then is for its hand.
 */
export async function runMachines(options: RunMachines): Promise<readonly RescueEntry[]> {
  const { ports, ceilings, rules, patience, say } = options;
  const going = options.swaps.filter(({ id }) => options.which.has(id));
  const scratch = await restore(going, {
    ports: asFirst(ports),
    wall: options.wall,
    pollMs: patience.poll,
    partials: options.partials,
  });
  const { core, store, refusals } = scratch;
  const changes = new Set<string>();
  let swaps = options.swaps;
  let saving = Promise.resolve();
  /** When a commit or an act was last, and how many acts are under way. */
  let moved = performance.now();
  let running = 0;

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

  for (const [id, why] of refusals) say(`${id}: it is taken home by its legs alone, for ${why}.`);
  const tell = core.onAlert(({ swap, sentence }) => say(swap === null ? sentence : `${swap}: ${sentence}`));
  const runtime = createRuntime(core, {
    pollMs: patience.poll,
    looksFirstMs: patience.looks,
    ceilings: () => ceilings,
    evm: rules,
    acts: rescueActs({
      async during(act) {
        running += 1;
        try {
          await save();
          await act();
        } finally {
          running -= 1;
          moved = performance.now();
        }
      },
      isShown: (swap) => scratch.behind.has(swap),
    }),
    bundle: {
      track({ row }) {
        changes.add(row.id);
        moved = performance.now();
      },
      holds: async () => true,
    },
  });
  try {
    if (scratch.ids.length > 0) {
      await runtime.start();
      moved = performance.now();
      const end = moved + patience.most;
      const isQuiet = (): boolean => running === 0 && performance.now() - moved >= patience.quiet;
      while (!isQuiet() && performance.now() < end) await pause(patience.poll);
    }
  } finally {
    await runtime.stop();
    tell();
    await save();
    for (const id of scratch.ids) say(`${id}: ${whereItIs(core, id)}.`);
    store.close();
  }
  return swaps;
}

/** What its machine came to, and who is waited for. */
function whereItIs({ workingSet }: Scratch['core'], id: string): string {
  const swap = workingSet.find(id);
  if (swap === null) return 'its machine has forgotten it';
  const { row, machine } = swap;
  return `its state is ${row.progress.at}; next: ${machine.nextAction(row.terms, row.progress)}`;
}

/** A swap as it stands now. What a chain showed stays known where the state never knew of it. */
function laterOf(entry: RescueEntry, { core, store, ids, behind }: Scratch): RescueEntry {
  const swap = ids.includes(entry.id) ? core.workingSet.find(entry.id) : null;
  if (swap === null) return entry;
  const next = entryOf(swap, store);
  if (next === null) return { ...entry, stored: storedOf(swap, store) };
  return behind.has(entry.id) ? { ...next, shown: true, secret: entry.secret ?? next.secret } : next;
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
