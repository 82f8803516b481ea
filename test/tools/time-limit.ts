// The seconds that a suite may take, where SUITE_SECONDS is set: it ends then, says what it left out, and fails for
// what failed alone.
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';
import { QuickFirst } from './file-order.ts';
import { noTime } from './no-time.ts';

const text = process.env['SUITE_SECONDS'];
const seconds = Number(text);
if (text !== undefined && !(seconds > 0))
  throw new RangeError(`SUITE_SECONDS is ${text}: give the seconds that the suite may take`);

/** In pieces, for `test` of a vitest configuration. */
export function withinTime(reporters: readonly string[]) {
  if (text === undefined) return { reporters: [...reporters] };
  // For the processes that run the files.
  process.env['SUITE_UNTIL'] ??= String(Date.now() + seconds * 1_000);
  return {
    reporters: [...reporters, ended()],
    sequence: { sequencer: QuickFirst },
    setupFiles: [fileURLToPath(new URL('in-time.ts', import.meta.url))],
  };
}

function ended(): Reporter {
  return {
    onInit(vitest) {
      const timer = setTimeout(() => void vitest.cancelCurrentRun('keyboard-input'), seconds * 1_000);
      timer.unref();
    },
    onTestRunEnd(modules, errors, reason) {
      if (reason !== 'interrupted') return;
      const begun = modules.filter((module) => !isUnbegun(module));
      console.log(
        `NOT RUN: ${modules.length - begun.length} of ${modules.length} files, for its ${text} seconds were over.`,
      );
      const failed = errors.length > 0 || begun.some((module) => !module.ok() && !isCutOff(module));
      if (!failed && begun.length > 0) process.exitCode = 0;
    },
  };
}

function isUnbegun(module: TestModule): boolean {
  const state = module.state();
  return state === 'queued' || state === 'pending' || module.errors().some(({ message }) => message === noTime);
}

/** Whether the end of the time met it: what its hooks say then is no word on its tests, of which none failed. */
function isCutOff(module: TestModule): boolean {
  const results = [...module.children.allTests()].map((test) => test.result());
  return (
    results.every(({ state }) => state !== 'failed') &&
    results.some((result) => result.state === 'skipped' && result.note?.includes('aborted') === true)
  );
}
