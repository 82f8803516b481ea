// Adds up the results that the test commands left in .cache/results and prints the closing line of a run. The argument
// is how many steps failed: a step that failed without a failed test (the check, a crash, a time limit) counts as one.
import { readFileSync, readdirSync } from 'node:fs';
import { z } from 'zod';

const folder = new URL('../../.cache/results/', import.meta.url);
const results = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), numPendingTests: z.int(), numTodoTests: z.int() });

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
}
const failed = Math.max(total.failed, failedSteps);
console.log(`${total.passed} passed, ${failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
if (failed > 0 || total.passed === 0) process.exitCode = 1;
