// npm run test:hostile -- [--minutes N] [--seed N] [--only NAME]: everybody does their worst to the built node at once,
// for so many minutes (30 when left out, which is the most); then every timeout passes, and everybody's money is
// counted.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answerHelp } from '../../main/help.ts';
import { kindNames } from './support/kind.ts';

const usage = 'npm run test:hostile -- [--minutes N] [--seed N] [--only NAME]';
const mostMinutes = 30;

answerHelp(usage, 'Does its worst to the built node in every way at once, and counts the money of everybody.', {
  '--minutes N': `so long, up to ${mostMinutes}, which is usual; a part of one, as 0.5, is one too`,
  '--seed N': 'of a run that failed, for the same choices again',
  '--only NAME': `one way: ${kindNames.join(', ')}`,
});

const top = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const minutes = Number(values.minutes ?? mostMinutes);
const isSeed = values.seed === undefined || /^\d{1,10}$/.test(values.seed);
if (
  !(minutes > 0 && minutes <= mostMinutes) ||
  !isSeed ||
  (values.only !== undefined && !kindNames.some((one) => one === values.only))
) {
  console.error(`usage: ${usage}\n  N of minutes: up to ${mostMinutes}; NAME: ${kindNames.join(', ')}`);
  process.exit(1);
}
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
console.log(`${minutes} minutes, seed ${seed}`);
spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/tools/vitest.apart.config.ts', 'test/hostile/'],
  {
    cwd: top,
    stdio: 'inherit',
    env: {
      ...process.env,
      HOSTILE_MINUTES: String(minutes),
      HOSTILE_SEED: seed,
      ...(values.only === undefined ? {} : { HOSTILE_ONLY: values.only }),
    },
  },
).once('exit', (code) => process.exit(code ?? 1));
