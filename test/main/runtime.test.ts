import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { electronRuntime, hasScreen } from '../../main/runtime.ts';

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sluice-runtime-'))));
afterEach(() => rmSync(root, { recursive: true }));

test('the runtime is found only when its program lies there, without loading the package', () => {
  const electron = join(root, 'node_modules', 'electron');
  const runtimes = [electronRuntime(root, {})];
  mkdirSync(join(electron, 'dist'), { recursive: true });
  writeFileSync(join(electron, 'index.js'), 'throw new Error("loading this would download")');
  runtimes.push(electronRuntime(root, {}));
  writeFileSync(join(electron, 'path.txt'), 'electron');
  runtimes.push(electronRuntime(root, {}));
  writeFileSync(join(electron, 'dist', 'electron'), '');
  runtimes.push(
    electronRuntime(root, {}),
    electronRuntime(root, { ELECTRON_OVERRIDE_DIST_PATH: join(root, 'elsewhere') }),
  );
  expect(runtimes).toEqual([null, null, null, join(electron, 'dist', 'electron'), null]);
});

test('only Linux without a display has no screen', () => {
  expect([
    hasScreen('linux', {}),
    hasScreen('linux', { DISPLAY: ':0' }),
    hasScreen('linux', { WAYLAND_DISPLAY: 'wayland-0' }),
    hasScreen('darwin', {}),
    hasScreen('win32', {}),
  ]).toEqual([false, true, true, true, true]);
});
