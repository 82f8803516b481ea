import { done, failed, faultIn, rowsOf, todo, warningsIn, dayOf, type Rows, type Step } from './step.ts';

/** What was seen of the second place of the rescue bundle. */
export interface BundleCopy {
  readonly path: string;
  /** When the file there was written, in unix seconds; null while there is none. */
  readonly written: number | null;
  /** Why it cannot be written now; null while nothing is wrong. */
  readonly trouble: string | null;
  /** Whether it lies on the disk of the data folder. */
  readonly sameDisk: boolean;
}

export interface Keeping {
  readonly sandbox: boolean;
  readonly dataDir: string;
  /** When the owner last typed the words, and they were those of this folder; null for never. */
  readonly wordsCompared: number | null;
  /** Null where no second place is set. */
  readonly bundle: BundleCopy | null;
}

/** What brings the money back when this machine is gone, and what this machine itself lacks. */
export function keepingSteps({ sandbox, dataDir, wordsCompared, bundle }: Keeping, rows: Rows): Step[] {
  return [seedOf(sandbox, dataDir, wordsCompared), bundleOf(bundle), machineOf(rows)];
}

function seedOf(sandbox: boolean, dataDir: string, wordsCompared: number | null): Step {
  const seed = { id: 'seed', part: 'seed', needed: true } as const;
  if (sandbox) return done({ ...seed, sentence: 'The seed of a sandbox guards no money: its words are of no use.' });
  return wordsCompared === null
    ? todo({
        ...seed,
        sentence: 'The node opened its seed, but nobody compared the words on paper with it.',
        act: 'Type the words and the passphrase once: they are the only way back when this disk is gone.',
        command: `npm run seed -- verify --data-dir ${quoted(dataDir)}`,
      })
    : done({
        ...seed,
        sentence: `The words were compared with the seed on ${dayOf(wordsCompared)} (UTC), and the node opened it.`,
      });
}

/** As a shell reads it. */
function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function bundleOf(bundle: BundleCopy | null): Step {
  const step = { id: 'bundle', part: 'bundle' } as const;
  const act = 'Set rescue.copyTo to a file on another disk: what brings open swaps home is kept there too.';
  if (bundle === null)
    return todo({ ...step, sentence: 'The rescue bundle is in the data folder alone: a broken disk takes both.', act });
  const { path, written, trouble, sameDisk } = bundle;
  if (trouble !== null) return failed({ ...step, sentence: trouble });
  if (written === null)
    return failed({ ...step, sentence: `There is no rescue bundle at ${path} yet.`, act: 'Look again in a moment.' });
  return done({
    ...step,
    sentence: `The rescue bundle was written to ${path} on ${dayOf(written)} (UTC).`,
    warnings: sameDisk
      ? [`${path} is on the disk of the data folder: have it copied elsewhere, or choose another disk.`]
      : [],
  });
}

function machineOf(rows: Rows): Step {
  const own = rowsOf(rows, 'node', { not: [] });
  const fault = faultIn(own);
  const step = { id: 'machine', part: 'machine', needed: true, warnings: warningsIn(own) } as const;
  return fault === null
    ? done({ ...step, warnings: step.warnings, sentence: 'Disk, database and the files of the settings are in order.' })
    : failed({ ...step, sentence: fault });
}
