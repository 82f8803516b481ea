import { expect, test } from 'vitest';
import { noTime } from './no-time.ts';
import { isUnrun, type FileResult } from './results.ts';

function file(status: string, states: readonly string[], message = ''): FileResult {
  const assertionResults = states.map((state) => ({ fullName: 'one', status: state }));
  return { name: 'a.test.ts', status, message, assertionResults };
}

test.each<[string, FileResult, boolean]>([
  ['was never begun', file('failed', [], noTime), true],
  ['was cut off, and its hooks failed then', file('failed', ['passed', 'skipped'], 'nobody answers'), true],
  ['passed', file('passed', ['passed', 'skipped']), false],
  ['has a test that failed', file('failed', ['failed', 'skipped']), false],
  ['failed by its hooks alone', file('failed', ['passed', 'passed'], 'a node was not ended'), false],
  ['cannot be loaded', file('failed', [], 'no such module'), false],
])('a file that %s is told from one that had no time', (_, one, unrun) => {
  expect(isUnrun(one)).toBe(unrun);
});
