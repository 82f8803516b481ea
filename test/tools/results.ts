// What the test commands leave in .cache/results, one file a suite, in the words of vitest's JSON reporter.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import { noTime } from './no-time.ts';

const shape = z.object({
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

/** One test file and how its tests ended. */
export type FileResult = z.infer<typeof shape>['testResults'][number];

/**
 * A file that a suite had no time for, or that the end of the time met: it neither passed nor failed. Where one of its
 * hooks failed before that, its suite fails.
 */
export function isUnrun({ status, message, assertionResults }: FileResult): boolean {
  if (status !== 'failed') return false;
  if (assertionResults.length === 0) return message === '' || message.includes(noTime);
  const states = assertionResults.map((test) => test.status);
  return !states.includes('failed') && states.some((state) => state !== 'passed');
}

const first = new URL('../../.cache/results/', import.meta.url);
/** Where the second run of a suite's failed files is left. */
export const second = new URL('../../.cache/results-again/', import.meta.url);

/** The suites that left results. */
export function suites(): string[] {
  const names = existsSync(first) ? readdirSync(first).filter((file) => file.endsWith('.json')) : [];
  return names.map((file) => file.slice(0, -'.json'.length));
}

function read(folder: URL, suite: string): readonly FileResult[] {
  const file = new URL(`${suite}.json`, folder);
  return existsSync(file) ? shape.parse(JSON.parse(readFileSync(file, 'utf8'))).testResults : [];
}

export function firstRun(suite: string): readonly FileResult[] {
  return read(first, suite);
}

export function secondRun(suite: string): readonly FileResult[] {
  return read(second, suite);
}
