import { createCore, type CoreOptions } from '../../engine/runtime/core.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../engine/runtime/runtime.ts';

/** A runtime on a core of its own, for tests whose services need not be made between the two. */
export function runtimeOf(options: CoreOptions & RuntimeOptions): Runtime {
  return createRuntime(createCore(options), options);
}
