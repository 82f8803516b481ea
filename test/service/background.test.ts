import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { inBackground } from '../../engine/runtime/background.ts';
import { createReconciliation } from '../../engine/service/reconciliation/reconciliation.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { memoryLog } from '../runtime/support.ts';

let scene: Scene | null = null;
const unexpected: unknown[] = [];
const note = (cause: unknown) => void unexpected.push(cause);

afterEach(async () => {
  process.removeAllListeners('unhandledRejection');
  await scene?.end();
  scene = null;
});

/** As it would end the process; the test runner's own listeners rest meanwhile. */
function watchProcess(): void {
  unexpected.length = 0;
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
}

test('a broken disk under the comparison with the networks is logged, and the process lives', async () => {
  scene = await openScene();
  const { runtime } = scene.node;
  const { lines, log } = memoryLog();
  let broken = true;
  const settings = {
    ...runtime.store.settings,
    get: <T>(key: string): T | null => {
      if (broken) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
      return runtime.store.settings.get<T>(key);
    },
  };
  const reconciliation = createReconciliation({
    runtime: { ...runtime, store: { ...runtime.store, settings } },
    everyMs: 20,
    log,
  });
  watchProcess();
  await expect(reconciliation.check()).resolves.toBeUndefined();
  reconciliation.start();
  await pause(100);
  broken = false;
  const failed = lines.length;
  await pause(100);
  await reconciliation.stop();
  expect({ unexpected, failed: failed >= 2, quiet: lines.length - failed <= 1 }).toEqual({
    unexpected: [],
    failed: true,
    quiet: true,
  });
});

test('what nobody waits for may throw or reject: it is logged with its name and ends nothing', async () => {
  const { lines, log } = memoryLog();
  watchProcess();
  inBackground(log, 'one', () => {
    throw new Error('thrown');
  });
  inBackground(log, 'two', async () => {
    throw new Error('rejected');
  });
  await pause(20);
  expect([unexpected, lines.map((line) => (JSON.parse(line) as { what: string }).what)]).toEqual([[], ['one', 'two']]);
});
