// For what needs a browser, daemons or minutes: `vitest run --config test/tools/vitest.apart.config.ts test/desktop/`.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { withinTime } from './time-limit.ts';

const suites = ['crash', 'bench', 'desktop', 'hostile', 'regtest'];
const folder =
  suites.find((suite) => process.argv.some((argument) => argument.startsWith(`test/${suite}/`))) ?? 'apart';
const isOf = (part: string): boolean => process.argv.some((argument) => argument.includes(`test/${part}/`));
const isOfDesktop = isOf('desktop');
/** A page and its node wait more than they work, and deaths in process keep one processor busy. */
const isInPairs = isOfDesktop || isOf('crash');

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  cacheDir: '.cache/vite',
  test: {
    include: ['test/{crash,bench,desktop,hostile,regtest,ports}/**/*.test.ts'],
    pool: 'forks',
    // One file at a time, mostly: each of these owns ports, processes and the machine's attention.
    fileParallelism: isInPairs,
    maxWorkers: isInPairs ? 2 : 1,
    // Every direction of the crash test side by side.
    maxConcurrency: 6,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    ...(isOfDesktop ? { globalSetup: 'test/desktop/page-once.ts' } : {}),
    // Whatever a failure compares is told whole.
    chaiConfig: { truncateThreshold: 400 },
    allowOnly: false,
    ...withinTime(['default', 'json']),
    outputFile: { json: `.cache/results/${folder}.json` },
  },
});
