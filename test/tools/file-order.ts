// The order of a suite that may be cut off: what is quick comes early as a rule and what is slow late, so that most
// files are run; by chance, so that another run leaves out others.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The seconds of each file that takes long, as they were measured once; another takes some three. */
const slow = JSON.parse(readFileSync(new URL('slow-files.json', import.meta.url), 'utf8')) as Record<string, number>;
const usual = 3;

export function secondsOf(file: string): number {
  return slow[relative(root, file)] ?? usual;
}

/** Every order has a chance, and the seconds until a file is done weigh against it. */
export function inSomeOrder<T>(files: readonly T[], fileOf: (one: T) => string, random = Math.random): T[] {
  return files
    .map((one) => ({ one, key: -Math.log(1 - random()) * secondsOf(fileOf(one)) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ one }) => one);
}

export class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return inSomeOrder(files, ({ moduleId }) => moduleId);
  }
}
