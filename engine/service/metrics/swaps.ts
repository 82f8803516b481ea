import { ownerDirectionOf, walletJobs } from '../../domain/chain.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { ServiceContext } from '../context.ts';
import { atRisk } from '../owner/status.ts';
import type { Sample } from './exposition.ts';

/** Adds up under the labels of a sample. */
export function createTally() {
  const samples = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>();
  return {
    add(labels: Readonly<Record<string, string>>, value: number): void {
      const key = Object.values(labels).join(' ');
      const before = samples.get(key)?.value ?? 0;
      samples.set(key, { labels, value: before + value });
    },
    least(labels: Readonly<Record<string, string>>, value: number): void {
      const key = Object.values(labels).join(' ');
      samples.set(key, { labels, value: Math.min(samples.get(key)?.value ?? Infinity, value) });
    },
    samples: (): readonly Sample[] => [...samples.values()],
  };
}

/** As who the node is in it. */
function roleOf({ machine: { name } }: Pick<Entry, 'machine'>): string {
  return name.startsWith('take-') ? 'client' : name in walletJobs ? 'owner' : 'provider';
}

function labelsOf(entry: Entry): { readonly direction: string; readonly role: string } {
  return { direction: ownerDirectionOf(entry.machine.name) ?? 'unknown', role: roleOf(entry) };
}

/** What is open now: a walk over the working set, which does not grow with history. */
export function openSwaps({ runtime, directions }: ServiceContext) {
  const open = createTally();
  const risk = createTally();
  const spare = createTally();
  let flagged = 0;
  const { wall } = runtime.clock.now();
  for (const entry of runtime.workingSet.all()) {
    const { row, machine } = entry;
    const labels = labelsOf(entry);
    open.add({ ...labels, status: row.status }, 1);
    if (directions.of(row.machine) !== null && atRisk.has(row.status))
      risk.add({ direction: labels.direction }, Number(row.valueSats));
    const deadline = machine.deadline(row.terms, row.progress);
    if (deadline !== null) spare.least(labels, deadline - wall);
    if (row.flag !== null) flagged += 1;
  }
  return { open: open.samples(), risk: risk.samples(), spare: spare.samples(), flagged };
}

/** Counts what ends from here on. */
export function countEnded({ runtime }: ServiceContext): () => readonly Sample[] {
  const ended = createTally();
  const open = new Set(runtime.store.swaps.openIds());
  runtime.commits.onCommit(({ entry }) => {
    const { row } = entry;
    if (row.open) open.add(row.id);
    else if (open.delete(row.id)) ended.add({ ...labelsOf(entry), status: row.status }, 1);
  });
  return ended.samples;
}
