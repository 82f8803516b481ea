// The order of a suite that may be cut off: first what no run leaves out; then what is quick comes early as a rule and
// what is slow late, so that most files are run; by chance, so that another run leaves out others.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The seconds of each file that takes long, as they were measured once; another takes some three. */
const slow = JSON.parse(readFileSync(new URL('slow-files.json', import.meta.url), 'utf8')) as Record<string, number>;
const usual = 3;

/**
 * Each run shows these, however slow its machine is: published clients, the way to a provider, pairs on real daemons, a
 * release, kills, that the documents list the alerts and figures that there are, and that the guide does as it says.
 */
export const always: readonly string[] = [
  'test/boltz/the-published-client-pays-an-invoice-from-arkade.test.ts',
  'test/boltz/the-published-client-swaps-arkade-for-bitcoin.test.ts',
  'test/boltz/the-published-library-swaps-on-the-chain.test.ts',
  'test/crash/over-the-wire.test.ts',
  'test/desktop/release.test.ts',
  'test/main/demo.test.ts',
  'test/regtest/a-wallet-over-boltz-client.test.ts',
  'test/regtest/six-pairs-arrive-and-come-back.test.ts',
  'test/regtest/the-checklist-is-walked-on-real-daemons.test.ts',
  'test/runtime/alert-names.test.ts',
  'test/service/metrics/metrics.test.ts',
  'test/stories/the-api-guide-works.test.ts',
];

export function secondsOf(file: string): number {
  return slow[relative(root, file)] ?? usual;
}

/** Every order of the others has a chance, and the seconds until a file is done weigh against it. */
export function inSomeOrder<T>(files: readonly T[], fileOf: (one: T) => string, random = Math.random): T[] {
  const keyOf = (file: string): number =>
    always.includes(relative(root, file)) ? -1 : -Math.log(1 - random()) * secondsOf(file);
  return files
    .map((one) => ({ one, key: keyOf(fileOf(one)) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ one }) => one);
}

export class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return inSomeOrder(files, ({ moduleId }) => moduleId);
  }
}
