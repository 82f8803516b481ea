import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { withinTime } from './time-limit.ts';

/** Commands of their own run what takes minutes, needs a browser or needs daemons. */
const apart = ['crash', 'bench', 'desktop', 'hostile', 'regtest'];

/**
 * Files of these folders keep to themselves: no globals, no timers, no process. They run many in one process, which
 * spares each of them the start of one and the loading of the engine: half of their processor's time.
 */
const together = [
  'adapters',
  'config',
  'contract',
  'doctor',
  'domain',
  'faults',
  'legs',
  'quote',
  'runtime',
  'scenes',
  'service',
  'store',
  'swap',
  'taker',
  'tools',
];
const all = 'test/**/*.test.{ts,tsx}';
const ofTogether = together.map((folder) => `test/${folder}/**/*.test.ts`);
/** Whole swaps, over real processes or from one loss to the next: a command of its own, for they take minutes. */
const stories = ['test/{stories,rescue,upgrade,boltz,canary}/**/*.test.ts', 'test/**/*-stories.test.ts'];
const isOfStories = process.argv.includes('stories');
const never = [...apart.map((folder) => `test/${folder}/**`), 'test/tools/fixtures/**'];

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  cacheDir: '.cache/vite',
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ofTogether,
          exclude: [...never, ...stories],
          isolate: false,
          setupFiles: [fileURLToPath(new URL('nothing-is-left.ts', import.meta.url))],
        },
      },
      { extends: true, test: { name: 'stories', include: stories, exclude: never } },
      { extends: true, test: { name: 'alone', include: [all], exclude: [...never, ...ofTogether, ...stories] } },
    ],
    // Processes and not threads: better-sqlite3 and gRPC hold native state, and a crash must stay with its file.
    pool: 'forks',
    // Half as many again as there are processors: stories on real processes wait longer than they work.
    maxWorkers: Math.min(4, Math.ceil(1.5 * availableParallelism())),
    // For the nodes that tests start: each would compile some 400 files anew, a quarter of what its start costs.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.cache/node', import.meta.url)) },
    // Limits find what hangs; how fast something is, `npm run bench` says. On a machine with much to do a second
    // becomes twenty.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    allowOnly: false,
    restoreMocks: true,
    ...withinTime(process.env['CI'] === undefined ? ['default'] : ['default', 'json']),
    outputFile: { json: `.cache/results/${isOfStories ? 'stories' : 'test'}.json` },
  },
});
