// npm run test:again -- SUITES: runs the few files of these suites that failed once more, one at a time on a machine
// that does nothing else. What passes then is unsteady, and the tally names it: a wait that is too short for a busy
// machine is to be mended, and is no reason to throw a day's work away. Many failures, or one of a crash test, are
// never chance.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstRun, isUnrun, second } from './results.ts';
import { answerHelp } from '../../main/help.ts';

answerHelp('npm run test:again -- SUITE...', 'Runs the few files that failed once more, one at a time.', {
  'SUITE...': 'test, stories, desktop or regtest',
});

/** More files than this do not fail by chance. */
const mostFiles = 3;
const configs: Readonly<Record<string, string>> = {
  test: 'test/tools/vitest.config.ts',
  stories: 'test/tools/vitest.config.ts',
  desktop: 'test/tools/vitest.apart.config.ts',
  regtest: 'test/tools/vitest.apart.config.ts',
};

function again(suite: string): boolean {
  const config = configs[suite];
  if (config === undefined) throw new Error(`${suite} is none of ${Object.keys(configs).join(', ')}`);
  const files = firstRun(suite)
    .filter((file) => file.status === 'failed' && !isUnrun(file))
    .map(({ name }) => relative('.', name));
  if (files.length === 0 || files.length > mostFiles) {
    console.log(`${suite}: ${files.length} files failed: not run again`);
    return false;
  }
  const output = fileURLToPath(new URL(`${suite}.json`, second));
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...files, '--no-file-parallelism'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  return spawnSync(process.execPath, [...vitest, ...reporters], { stdio: 'inherit' }).status === 0;
}

rmSync(second, { recursive: true, force: true });
mkdirSync(second, { recursive: true });
const passed = process.argv.slice(2).map(again);
if (passed.length === 0 || passed.includes(false)) process.exitCode = 1;
