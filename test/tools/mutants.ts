// npm run test:mutants: takes every check, guard, state write, event and payment out of the contracts, one at a time,
// and runs their tests, of which one has to fail. `-- 10` tries ten of them, spread over all.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, hastySettings } from './solidity.ts';
import { answerHelp } from '../../main/help.ts';

answerHelp('npm run test:mutants -- [N]', 'Takes things out of the contracts, and expects a test to fail each time.', {
  N: 'so many of them, spread over all; every one when left out',
});

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly what: string;
  readonly source: string;
}

const top = fileURLToPath(new URL('../..', import.meta.url));
const folder = 'resources/contracts';

/** Which contracts a source is compiled into, and which tests know them. */
const subjects: Readonly<Record<string, { readonly compiled: readonly string[]; readonly tests: readonly string[] }>> =
  {
    'HTLCErc20.sol': { compiled: ['HTLCErc20.sol'], tests: ['htlc-erc20', 'attacks', 'coordinator'] },
    'HTLCCoordinator.sol': { compiled: ['HTLCCoordinator.sol'], tests: ['coordinator', 'attacks'] },
    'HTLCNative.sol': { compiled: ['HTLCNative.sol'], tests: ['native'] },
    'HTLCNativeCoordinator.sol': { compiled: ['HTLCNativeCoordinator.sol'], tests: ['native'] },
    'CallExecutor.sol': {
      compiled: ['HTLCCoordinator.sol', 'HTLCNativeCoordinator.sol'],
      tests: ['coordinator', 'attacks', 'native'],
    },
    'CCTPBridgeAdapter.sol': { compiled: ['CCTPBridgeAdapter.sol'], tests: ['bridge'] },
  };

/** What is taken out: the whole match, or its group `out`. */
const removals: readonly { readonly what: string; readonly of: RegExp }[] = [
  { what: 'check', of: /^ +if \([^;{]*\) revert [^;]+;$/gm },
  { what: 'check', of: /^ +if \([^;]*\) \{\n +revert [^;]+;\n +\}$/gm },
  { what: 'guard', of: /\bnonReentrant\b(?= |\n)/g },
  { what: 'state write', of: /^ +(?:swapState|swaps|preimages|deposits)\[.*\] = [^;]+;$/gm },
  { what: 'state write', of: /^ +delete [^;]+;$/gm },
  { what: 'event', of: /^ +emit [^;]+;$/gm },
  { what: 'allowance taken back', of: /^ +IERC20\(calls.*forceApprove[^;]+;$/gm },
  { what: 'payment', of: /^ +(?:if \([^;]*\) )?_(?:sweep|sweepAll|pay)\([^;]+\);$(?!\n +else)/gm },
  { what: 'payment', of: /^ +IERC20\(token\)\.safeTransfer[^;]+;$/gm },
  { what: 'calls', of: /^ +_execute\([^;]+;$/gm },
  { what: 'settling', of: /^ +_settle\([^;]+;$/gm },
  { what: 'selector', of: /^ +\|\| selector == 0x[0-9a-f]{8}(?= |;)/gm },
  { what: 'selector', of: /selector == 0x23b872dd .*\n +\|\| /g },
  { what: 'target', of: /target == htlc \|\| /g },
  { what: 'target', of: /target == permit2 \|\| /g },
  { what: 'target', of: / \|\| target == address\(this\)/g },
];

/** What has to happen before the payment, and happens after it. */
const late = /^( +_settle\([^;]+;\n)((?: +[^\n}]+;\n)+?)(?= {4}\})/gm;

function mutantsOf(file: string): Mutant[] {
  const source = readFileSync(`${top}${folder}/${file}`, 'utf8');
  const lineOf = (index: number) => source.slice(0, index).split('\n').length;
  const without = removals.flatMap(({ what, of }) =>
    [...source.matchAll(of)].map((match) => ({
      file,
      line: lineOf(match.index + match[0].search(/\S/)),
      what: `${what}: ${match[0].trim().replace(/\s+/g, ' ').slice(0, 70)}`,
      source: source.slice(0, match.index) + source.slice(match.index + match[0].length),
    })),
  );
  const moved = [...source.matchAll(late)].map((match) => ({
    file,
    line: lineOf(match.index),
    what: 'settled after the payment',
    source: source.replace(match[0], `${match[2]}${match[1]}`),
  }));
  return [...without, ...moved];
}

type Verdict = { readonly noticed: true; readonly by: string } | { readonly noticed: false };

async function judge(mutant: Mutant): Promise<Verdict> {
  const { compiled, tests } = subjects[mutant.file] ?? { compiled: [], tests: [] };
  const replaced = { [mutant.file]: mutant.source };
  // In haste the stack may not suffice.
  const { artifacts } = await compile(folder, compiled, replaced, hastySettings).catch(() =>
    compile(folder, compiled, replaced),
  );
  const into = mkdtempSync(join(tmpdir(), 'sluice-mutant-'));
  for (const [name, artifact] of Object.entries(artifacts))
    writeFileSync(join(into, `${name}.json`), JSON.stringify(artifact));
  try {
    for (const test of tests) {
      const failed = await run(test, into);
      if (failed !== null) return { noticed: true, by: failed };
    }
    return { noticed: false };
  } finally {
    rmSync(into, { recursive: true });
  }
}

/** The name of the first test that fails, null where all pass. Throws where they could not run. */
function run(test: string, mutant: string): Promise<string | null> {
  const vitest = 'node_modules/vitest/vitest.mjs';
  const args = ['run', '--config', 'test/tools/vitest.config.ts', '--bail', '1', '--reporter', 'default'];
  const { CI: _, ...rest } = process.env;
  const env = { ...rest, NO_COLOR: '1', SLUICE_MUTANT: mutant };
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(process.execPath, [vitest, ...args, `test/contracts/${test}.test.ts`], { cwd: top, env });
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      const failed = /^ *FAIL .*? > (.*)/m.exec(output)?.[1];
      if (code === 0) resolve(null);
      else if (failed !== undefined) resolve(failed.slice(0, 80));
      else reject(new Error(`the tests did not run:\n${output}`));
    });
  });
}

function chosen(mutants: readonly Mutant[], count: number): readonly Mutant[] {
  const step = mutants.length / Math.min(count, mutants.length);
  return Array.from(
    { length: Math.min(count, mutants.length) },
    (_, index) => mutants[Math.floor(index * step)],
  ).filter((mutant) => mutant !== undefined);
}

const all = Object.keys(subjects).flatMap(mutantsOf);
const mutants = chosen(all, Number(process.argv[2] ?? all.length));
const unnoticed: string[] = [];
const waiting = [...mutants];

async function worker(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const verdict = await judge(mutant);
    const line = `${`${mutant.file}:${mutant.line}`.padEnd(30)} ${mutant.what}`;
    if (!verdict.noticed) unnoticed.push(line);
    console.log(verdict.noticed ? `noticed   ${line}  <- ${verdict.by}` : `UNNOTICED ${line}`);
  }
}

// One compiles while the other's tests run.
await Promise.all([worker(), worker()]);
console.log(`\n${mutants.length} of ${all.length} mutants, ${unnoticed.length} unnoticed.`);
mkdirSync(`${top}.cache/results`, { recursive: true });
writeFileSync(
  `${top}.cache/results/mutants.json`,
  JSON.stringify({
    numPassedTests: mutants.length - unnoticed.length,
    numFailedTests: unnoticed.length,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [
      {
        name: `${top}test/tools/mutants.ts`,
        status: unnoticed.length === 0 ? 'passed' : 'failed',
        assertionResults: unnoticed.map((fullName) => ({
          fullName,
          status: 'failed',
          failureMessages: ['no test failed'],
        })),
      },
    ],
  }),
);
if (unnoticed.length > 0) process.exitCode = 1;
