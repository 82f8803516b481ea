// npm run test:regtest -- [core] [FILES]: builds lnd, btcd and geth once, with `core` Bitcoin Core too, runs every test
// that wants real daemons and, to compare, the port suites over the sandbox, and says at the end which implementations
// each port suite ran over and what was skipped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BuildFailed, buildDaemons } from './kit/build.ts';
import { buildBoltzClient } from './kit/boltz-client.ts';
import { buildCore, findCore } from './kit/build-core.ts';
import { buildGeth } from './kit/geth.ts';
import { summaryOf } from './kit/summary.ts';
import { answerHelp } from '../../main/help.ts';
import { shareAfter } from '../tools/suite-share.ts';

answerHelp(
  'npm run test:regtest -- [core] [FILE...]',
  'Builds the daemons once, and runs every test that wants real ones.',
  {
    core: 'builds Bitcoin Core too, some ten minutes of two cores',
    'FILE...': 'only these; all of test/regtest and test/ports when left out',
  },
);

const top = fileURLToPath(new URL('../..', import.meta.url));
const results = `${top}/.cache/results/regtest.json`;
const given = process.argv.slice(2);
const files = given.filter((one) => one !== 'core');

const begun = performance.now();
await build();
const share = shareAfter(process.env['SUITE_SECONDS'], (performance.now() - begun) / 1_000);
mkdirSync(`${top}/.cache/results`, { recursive: true });
rmSync(results, { force: true });
// Every file has a net of its own and waits most of the time; with a given operator they would share its chain.
const workers = process.env['SLUICE_REGTEST_ARKD_URL'] === undefined ? 2 : 1;
const vitest = spawn(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/tools/vitest.apart.config.ts',
    ...(files.length === 0 ? ['test/regtest/', 'test/ports/'] : files),
    // Read below, whichever files were asked for.
    `--outputFile.json=${results}`,
    `--maxWorkers=${workers}`,
    `--fileParallelism=${workers > 1}`,
  ],
  {
    cwd: top,
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(share === undefined ? {} : { SUITE_SECONDS: share }),
      // What a machine cannot afford that builds everything first.
      ...(given.length > 0 ? { SLUICE_REGTEST_LONG: '1' } : {}),
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --no-deprecation`.trim(),
    },
  },
);
const [code] = (await once(vitest, 'exit')) as [number | null];
console.log(summaryOf(results).join('\n'));
process.exitCode = code ?? 1;

/** Builds what is not there; what cannot be built here is said, and what fails ends the run with a sentence. */
async function build(): Promise<void> {
  try {
    const daemons = await buildDaemons(console.log);
    if ('absent' in daemons) console.log(`NOT RUN on real daemons: ${daemons.absent}.`);
    const geth = await buildGeth(console.log);
    if ('absent' in geth) console.log(`NOT RUN on geth: ${geth.absent}.`);
    // A proxy may not have its module any more: nothing else waits for it.
    const boltz = await buildBoltzClient(console.log).catch((cause: unknown) => {
      if (cause instanceof BuildFailed) return { absent: cause.message };
      throw cause;
    });
    if ('absent' in boltz) console.log(`NOT RUN with boltz-client: ${boltz.absent}.`);
    // Ten minutes of both cores: only where it is asked for, or there already.
    const core = given.includes('core') ? await buildCore(console.log) : findCore();
    if ('absent' in core) console.log(`NOT RUN on Bitcoin Core: ${core.absent}.`);
  } catch (cause) {
    if (!(cause instanceof BuildFailed)) throw cause;
    console.error(`npm run test:regtest ended: ${cause.message}.`);
    process.exit(1);
  }
}
