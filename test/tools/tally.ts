// Adds up the results that the test commands left in .cache/results and prints the closing line of a run. The argument
// is how many steps failed: a step that failed without a failed test (the check, a crash, a time limit) counts as one.
// What failed is named here once more, since a long output is read from its end; so is what passed only when run again.
import { relative } from 'node:path';
import { firstRun, isUnrun, secondRun, suites, type FileResult } from './results.ts';
import { answerHelp } from '../../main/help.ts';

answerHelp('npm run tally -- [STEPS]', 'Adds up the results that the test commands left.', {
  STEPS: 'how many steps of the run failed; 0 when left out',
});

/** Lines of a failure's message and stack that are printed. */
const shownLines = 12;

function say(kind: 'failed' | 'unsteady', file: string, title: string, message: string): void {
  console.log(`${kind}: ${relative(process.cwd(), file)}: ${title}`);
  for (const line of message.split('\n').slice(0, shownLines)) console.log(`    ${line}`);
}

function sayFailures(kind: 'failed' | 'unsteady', { name, status, message, assertionResults }: FileResult): void {
  const bad = assertionResults.filter((test) => test.status === 'failed');
  for (const test of bad) say(kind, name, test.fullName, (test.failureMessages ?? []).join('\n'));
  if (status === 'failed' && bad.length === 0) say(kind, name, 'the file itself', message);
}

const names = suites();
if (names.length === 0) throw new Error('no test left a result in .cache/results: nothing was tested');
const total = { passed: 0, failed: 0, skipped: 0, unsteady: 0, unrun: 0 };
for (const suite of names) {
  const again = new Map(secondRun(suite).map((file) => [file.name, file]));
  for (const file of firstRun(suite)) {
    if (isUnrun(file)) {
      total.unrun += 1;
      continue;
    }
    const repeated = again.get(file.name);
    const steady = repeated === undefined || repeated.status === 'failed';
    if (!steady) {
      total.unsteady += 1;
      sayFailures('unsteady', file);
    } else sayFailures('failed', file);
    const { assertionResults: tests, status } = steady ? file : repeated;
    const failed = tests.filter((test) => test.status === 'failed').length;
    total.passed += tests.filter((test) => test.status === 'passed').length;
    total.failed += failed === 0 && status === 'failed' ? 1 : failed;
    total.skipped += tests.filter((test) => !['failed', 'passed'].includes(test.status)).length;
  }
}
const failed = Math.max(total.failed, Number(process.argv[2] ?? 0));
if (total.unsteady > 0) console.log(`${total.unsteady} files failed once and passed when run again: mend them`);
if (total.unrun > 0) console.log(`${total.unrun} files were not run: this machine had no time for them`);
console.log(`${total.passed} passed, ${failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
if (failed > 0 || total.passed === 0) process.exitCode = 1;
