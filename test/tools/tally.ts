// Adds up the results that the test commands left in .cache/results and prints the closing line of a run. The argument
// is how many steps failed: a step that failed without a failed test (the check, a crash, a time limit) counts as one.
// What failed is named here once more, since a long output is read from its end.
import { readFileSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';

const folder = new URL('../../.cache/results/', import.meta.url);
const results = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

/** Lines of a failure's message and stack that are printed. */
const shownLines = 12;

function say(file: string, title: string, message: string): void {
  console.log(`failed: ${relative(process.cwd(), file)}: ${title}`);
  for (const line of message.split('\n').slice(0, shownLines)) console.log(`    ${line}`);
}

function filesIn(place: URL): string[] {
  try {
    return readdirSync(place).filter((file) => file.endsWith('.json'));
  } catch (cause) {
    throw new Error('no test left a result in .cache/results: nothing was tested', { cause });
  }
}

const failedSteps = Number(process.argv[2] ?? 0);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of filesIn(folder)) {
  const one = results.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
  total.passed += one.numPassedTests;
  total.failed += one.numFailedTests;
  total.skipped += one.numPendingTests + one.numTodoTests;
  for (const { name, status, message, assertionResults } of one.testResults) {
    const bad = assertionResults.filter((test) => test.status === 'failed');
    for (const test of bad) say(name, test.fullName, (test.failureMessages ?? []).join('\n'));
    if (status === 'failed' && bad.length === 0) say(name, 'the file itself', message);
  }
}
const failed = Math.max(total.failed, failedSteps);
console.log(`${total.passed} passed, ${failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
if (failed > 0 || total.passed === 0) process.exitCode = 1;
