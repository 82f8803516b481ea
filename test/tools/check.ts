// npm run check: everything that can be said about the code without running it. The parts run two at a time; each
// prints only when it fails, the table of faults always. `npm run check -- lint imports` runs the named parts.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '../../main/help.ts';

answerHelp('npm run check -- [PART...]', 'Runs everything that has to hold besides the tests.', {
  'PART...': 'only the parts whose names begin so: types, lint, format, imports, ...',
});

interface Part {
  readonly name: string;
  /** Arguments of node, from the top of the project. */
  readonly run: readonly string[];
  readonly always?: 'print';
}

interface Outcome {
  readonly part: Part;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

const top = fileURLToPath(new URL('../..', import.meta.url));
const tsc = 'node_modules/typescript-native/bin/tsc';
const oxlint = ['node_modules/oxlint/bin/oxlint', '--type-aware', '--config', 'test/tools/oxlint.json', '--tsconfig'];

// The slow ones first.
const parts: readonly Part[] = [
  {
    name: 'lint',
    run: [
      'node_modules/eslint/bin/eslint.js',
      '--config',
      'test/tools/eslint.config.js',
      '--max-warnings',
      '0',
      '--no-error-on-unmatched-pattern',
      'engine',
      'main',
      'preload',
      'renderer',
      'test',
    ],
  },
  // What the compiler does not say by itself: a lost promise can lose money, and in a test an assertion.
  {
    name: 'promises: engine, hosts, tests',
    run: [...oxlint, 'test/tools/tsconfig.node.json', 'engine', 'main', 'test'],
  },
  { name: 'promises: page', run: [...oxlint, 'test/tools/tsconfig.page.json', 'renderer'] },
  { name: 'types: engine, hosts, tests', run: [tsc, '-p', 'test/tools/tsconfig.node.json'] },
  { name: 'types: page', run: ['test/tools/room-types.ts', 'page'] },
  { name: 'types: window', run: [tsc, '-p', 'test/tools/tsconfig.window.json'] },
  { name: 'types: pure rooms', run: ['test/tools/room-types.ts', 'pure'] },
  {
    name: 'format',
    run: ['node_modules/prettier/bin/prettier.cjs', '--check', '--cache', '--cache-location', '.cache/prettier', '.'],
  },
  {
    name: 'unused: at all',
    run: ['node_modules/knip/bin/knip.js', '--config', 'test/tools/knip.json', '--no-progress', '--no-config-hints'],
  },
  {
    name: 'unused: by tests alone',
    run: [
      'node_modules/knip/bin/knip.js',
      '--config',
      'test/tools/knip.json',
      '--production',
      '--no-progress',
      '--no-config-hints',
    ],
  },
  { name: 'size of the page', run: ['test/tools/page-size.ts'], always: 'print' },
  { name: 'imports', run: ['test/tools/imports.ts'] },
  { name: 'openapi', run: ['test/tools/openapi.ts', '--check'] },
  { name: 'openapi: rules', run: ['test/tools/openapi-rules.ts'] },
  { name: 'diagrams: machines', run: ['test/tools/diagrams.ts', '--check'] },
  { name: 'diagrams: rooms and walks', run: ['test/tools/engine-readme.ts', '--check'] },
  { name: 'config schema', run: ['test/tools/config-schema.ts', '--check'] },
  { name: 'reference', run: ['test/tools/reference.ts', '--check'] },
  { name: 'contracts', run: ['test/tools/contracts.ts', '--check'] },
  { name: 'sandbox chains', run: ['test/tools/evm-genesis.ts', '--check'] },
  { name: 'citations', run: ['test/tools/citations.ts'] },
  { name: 'directions', run: ['test/tools/directions.ts'] },
  { name: 'faults', run: ['test/tools/faults.ts'], always: 'print' },
];

function runPart(part: Part): Promise<Outcome> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(process.execPath, [...part.run], { cwd: top, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ part, passed: code === 0, seconds: (performance.now() - started) / 1000, output }),
    );
  });
}

function report({ part, passed, seconds, output }: Outcome): void {
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${part.name} (${seconds.toFixed(1)} s)`);
  if (!passed || part.always === 'print') console.log(output.trimEnd().replace(/^/gm, '     '));
}

async function runAll(queue: Part[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  async function worker(): Promise<void> {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
      const outcome = await runPart(part);
      report(outcome);
      outcomes.push(outcome);
    }
  }
  await Promise.all([worker(), worker()]);
  return outcomes;
}

function chosen(names: string[]): Part[] {
  const unknown = names.filter((name) => !parts.some((part) => part.name.startsWith(name)));
  if (unknown.length > 0)
    throw new Error(
      `no part of the check is called ${unknown.join(', ')}; there are: ${parts.map((part) => part.name).join('; ')}`,
    );
  const chosen =
    names.length === 0 ? [...parts] : parts.filter((part) => names.some((name) => part.name.startsWith(name)));
  return chosen.filter((part) => !part.run[0]?.startsWith('test/tools/') || existsSync(`${top}/${part.run[0]}`));
}

mkdirSync(`${top}/.cache/types`, { recursive: true });
const outcomes = await runAll(chosen(process.argv.slice(2)));
const failed = outcomes.filter((outcome) => !outcome.passed).map((outcome) => outcome.part.name);
console.log(
  failed.length === 0
    ? `check: all ${outcomes.length} parts passed`
    : `check: ${failed.length} of ${outcomes.length} parts failed: ${failed.join('; ')}`,
);
if (failed.length > 0) process.exitCode = 1;
