import { createHash } from 'node:crypto';
import type { AlertTest } from '../../contract/owner/alert-test.ts';
import type { ServiceContext } from '../context.ts';

/** What became of a test of the alerts, and when, in unix seconds. */
interface TestMemory {
  readonly time: number;
  /** Of the ways that were set then; of others it says nothing. */
  readonly of: string;
  readonly results: AlertTest['results'];
}

const key = 'alert-test';

/** The addresses of a webhook may hold a secret: what is remembered of them is a hash. */
function waysOf({ config }: ServiceContext): string {
  return createHash('sha256').update(JSON.stringify(config.alerts)).digest('hex');
}

export function rememberTest(context: ServiceContext, { results }: AlertTest): void {
  const { store, clock } = context.runtime;
  const memory: TestMemory = { time: clock.now().wall, of: waysOf(context), results };
  store.settings.put(key, memory);
}

/** The last test of the ways that are set now; null where there was none. */
export function lastTest(context: ServiceContext): TestMemory | null {
  const memory = context.runtime.store.settings.get<TestMemory>(key);
  return memory === null || memory.of !== waysOf(context) || memory.results.length === 0 ? null : memory;
}
