// npm run bench [-- --quick]: the built node over HTTP, its store on disk, its networks in another process. Prints one
// JSON line for each measure beside the floors of this machine in this run; all times in milliseconds. `--before DIR`
// measures an earlier checkout first, installed as it wants and by its own bench, and prints its figures beside ours;
// `--before-built DIR` does it by this bench, for the node in an out/main of another build. `--only NAME` runs the part
// of that name alone. BENCH_NODE_ARGS goes to the node under test, for instance "--cpu-prof
// --cpu-prof-dir=.cache/profiles".
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtPrograms } from '../crash/support/program.ts';
import { earlierOf, figuresOf, measureBefore, type Line } from './before.ts';
import { burst } from './burst.ts';
import { bursts } from './bursts.ts';
import { claims } from './claims.ts';
import { creates } from './creates.ts';
import { directions } from './directions.ts';
import { disk } from './disk.ts';
import { feeTraces } from './fees.ts';
import { measureFloors } from './floors.ts';
import { followers } from './followers.ts';
import { kills } from './kills.ts';
import { hour } from './hour.ts';
import { idle } from './idle.ts';
import { manyOpen } from './many-open.ts';
import { outage } from './outage.ts';
import { page } from './page.ts';
import { pressure } from './pressure.ts';
import { full, quick, type Setting } from './setting.ts';
import { starts } from './starts.ts';
import { answerHelp } from '../../main/help.ts';

const parts: Readonly<Record<string, (setting: Setting) => Promise<void>>> = {
  start: starts,
  page,
  directions,
  creates,
  claims,
  open: manyOpen,
  idle,
  burst,
  bursts,
  kills,
  followers,
  outage,
  fees: feeTraces,
  pressure,
  disk,
  hour,
};

answerHelp(
  'npm run bench -- [--quick] [--only NAME] [--minutes N] [--before DIR | --before-built DIR]',
  'Measures the built node, a line of JSON for each measure beside its aim.',
  {
    '--quick': 'fewer samples',
    '--only NAME': `one part: ${Object.keys(parts).join(', ')}`,
    '--minutes N': 'of the part "hour", 60 when left out, 3 with --quick',
    '--before DIR': 'measures an earlier checkout first, and prints its figures beside ours',
    '--before-built DIR': 'the same with the node of another build, an out/main, and the bench of this checkout',
  },
);

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    minutes: { type: 'string' },
    before: { type: 'string' },
    'before-built': { type: 'string' },
  },
});
if (values.only !== undefined && !Object.hasOwn(parts, values.only)) {
  console.error(`There is no part "${values.only}": --only takes one of ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const usual = values.quick ? quick : full;
const size = { ...usual, minutes: Number(values.minutes ?? usual.minutes) };
if (!(size.minutes >= 1)) {
  console.error(`--minutes takes a number from 1 on, not "${values.minutes}".`);
  process.exit(2);
}

const flags = values.quick ? ['--quick'] : [];
for (const name of ['only', 'minutes'] as const) if (values[name] !== undefined) flags.push(`--${name}`, values[name]);
const earlier = earlierOf(values);
const before = earlier === null ? null : await measureBefore(earlier, flags);

function print(bench: string, facts: object): void {
  const line: Line = { bench, ...facts };
  const then = before?.(line) ?? null;
  console.log(JSON.stringify(then === null ? line : { ...line, before: figuresOf(then) }));
}

const cache = fileURLToPath(new URL('../../.cache', import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'bench-'));
const built = await builtPrograms();
try {
  const floors = await measureFloors(folder, values.quick ? 200 : 1_000);
  print('floors', floors);
  for (const [name, part] of Object.entries(parts))
    if (values.only === undefined || values.only === name) await part({ built, folder, size, floors, print });
} finally {
  built.remove();
  rmSync(folder, { recursive: true, force: true });
}
