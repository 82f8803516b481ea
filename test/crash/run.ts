// npm run test:crash -- [KILLS] [--every N] [--seed N] [--only FILE] [--direction NAME]: every crash test, with so many
// kills of the built node for each direction (100 when left out). From 100 on it dies in process at each boundary, from
// 1,000 on at each look at an EVM chain as well. A run that failed prints its seed.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answerHelp } from '../../main/help.ts';

const usage = 'npm run test:crash -- [KILLS] [--every N] [--seed N] [--only FILE] [--direction NAME]';
answerHelp(usage, 'Kills the built node, and counts the money of everybody.', {
  KILLS: 'so many of each direction, with money of it under way; 100 when left out',
  '--every N': 'in process at one boundary in so many; at one in 32, 8 from 10 kills, or each from 100, when left out',
  '--seed N': 'of a run that failed, to see it again',
  '--only FILE': 'one file of test/crash',
  '--direction NAME': 'one direction over the wire, for example lightning-arkade; all at once when left out',
});

const top = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    direction: { type: 'string' },
  },
});
const [kills = '100'] = positionals;
const isCount = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text);
if (
  !isCount(kills) ||
  (values.every !== undefined && !isCount(values.every)) ||
  (values.seed !== undefined && !/^\d{1,10}$/.test(values.seed))
) {
  console.error(`usage: ${usage}`);
  process.exit(1);
}
/** In process, a death at every boundary takes minutes: a short run takes one in so many, which the seed chooses. */
const every = values.every ?? (Number(kills) < 10 ? '32' : Number(kills) < 100 ? '8' : '1');
/** Most commits over an EVM chain are looks at it: a very long run dies at each of those, too. */
const looks = Number(kills) < 1_000 ? '4' : '1';
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
console.log(`${kills} kills per direction, seed ${seed}`);
spawn(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/tools/vitest.apart.config.ts',
    `test/crash/${values.only ?? ''}`,
  ],
  {
    cwd: top,
    stdio: 'inherit',
    env: {
      CRASH_EVERY: every,
      CRASH_LOOKS: looks,
      ...process.env,
      CRASH_KILLS: kills,
      CRASH_SEED: seed,
      ...(values.direction === undefined ? {} : { CRASH_DIRECTION: values.direction }),
    },
  },
).once('exit', (code) => process.exit(code ?? 1));
