// The seconds that a suite may take, where SUITE_SECONDS is set: it ends then, says what it left out, and fails
// for what failed alone. Files come in random order, so that another run leaves out others.
import type { Reporter, TestModule } from 'vitest/node';

const text = process.env['SUITE_SECONDS'];
const seconds = Number(text);
if (text !== undefined && !(seconds > 0))
  throw new RangeError(`SUITE_SECONDS is ${text}: give the seconds that the suite may take`);

/** In pieces, for `test` of a vitest configuration. */
export function withinTime(reporters: readonly string[]) {
  if (text === undefined) return { reporters: [...reporters] };
  return { reporters: [...reporters, ended()], sequence: { shuffle: { files: true, tests: false } } };
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
      const failed = errors.length > 0 || begun.some((module) => !module.ok());
      if (!failed && begun.length > 0) process.exitCode = 0;
    },
  };
}

function isUnbegun(module: TestModule): boolean {
  const state = module.state();
  return state === 'queued' || state === 'pending';
}
