import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packaging from '../tools/electron-builder.json' with { type: 'json' };
import project from '../../package.json' with { type: 'json' };
import { readFuses } from './electron/fuses.ts';

const root = join(import.meta.dirname, '..', '..');
/** Where electron-builder leaves the unpacked program of each platform. */
const packed = [
  'dist/linux-unpacked/sluice',
  'dist/mac/Sluice.app/Contents/Frameworks/Electron Framework.framework/Electron Framework',
  'dist/mac-arm64/Sluice.app/Contents/Frameworks/Electron Framework.framework/Electron Framework',
  'dist/win-unpacked/sluice.exe',
]
  .map((path) => join(root, path))
  .find((path) => existsSync(path));
if (packed === undefined)
  console.warn('SKIPPED: the fuses of the packed program: nothing was packed ("npm run pack").');

const fuses = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
};

test('the program is packed for three systems, whole in its archive, with every door of the binary shut', () => {
  expect(packaging.electronFuses).toEqual(fuses);
  expect([packaging.asar, packaging.publish, packaging.npmRebuild]).toEqual([true, null, false]);
  expect([packaging.linux.target, packaging.mac.target, packaging.win.target]).toEqual([
    ['AppImage', 'deb'],
    ['dmg', 'zip'],
    ['nsis'],
  ]);
  expect([packaging.mac.hardenedRuntime, packaging.nsis.deleteAppDataOnUninstall]).toEqual([true, false]);
});

test('what is packed is the build with its packages and resources, and it starts as the desktop', () => {
  expect(packaging.files.filter((pattern) => !pattern.startsWith('!'))).toEqual([
    ...['package.json', 'LICENSE', 'out/**', 'resources/**'],
  ]);
  expect(project.main).toBe('out/main/index.js');
  // Programs and native parts cannot be started from inside an archive.
  expect(packaging.asarUnpack).toEqual(['node_modules/**/*.node', 'node_modules/@foundry-rs/**']);
});

test('fuses are read from a program as they were set in it', () => {
  const wire = Buffer.concat([
    Buffer.from('xxdL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
    Buffer.from([1, 8]),
    Buffer.from('01001100yy'),
  ]);
  expect(readFuses(wire)).toEqual(fuses);
  expect(() => readFuses(Buffer.from('nothing'))).toThrow('no fuse wire');
});

test.skipIf(packed === undefined)('the packed program has its fuses set', () => {
  expect(readFuses(readFileSync(packed!))).toEqual(fuses);
});
