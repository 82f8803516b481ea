import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trayIcons, trayIconOf } from '../../main/tray-icon.ts';
import { electronFlag } from '../../main/node-flags.ts';
import { outsideArchive } from '../../engine/sandbox/world/evm/anvil.ts';
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
  expect([project.main, packaging.linux.executableArgs]).toEqual(['out/main/index.js', [electronFlag]]);
  // Programs and native parts cannot be started from inside an archive.
  expect(packaging.asarUnpack).toEqual(['node_modules/**/*.node', 'node_modules/@foundry-rs/**']);
});

test.each([
  ['/opt/Sluice/resources/app.asar/node_modules/a', '/opt/Sluice/resources/app.asar.unpacked/node_modules/a'],
  ['C:\\Sluice\\resources\\app.asar\\node_modules', 'C:\\Sluice\\resources\\app.asar.unpacked\\node_modules'],
  ['/home/me/sluice/node_modules/a', '/home/me/sluice/node_modules/a'],
  ['/home/my.app.asar.copy/node_modules/a', '/home/my.app.asar.copy/node_modules/a'],
])('a program of %s starts beside the archive', (inside, beside) => {
  expect(outsideArchive(inside)).toBe(beside);
});

test('an installer names who makes it and where it is from, as a deb must', () => {
  expect(project.author).toMatch(/^[^<]+ <[^@>]+@[^>]+>$/);
  expect([project.homepage, project.repository].map((address) => new URL(address).protocol)).toEqual([
    'https:',
    'https:',
  ]);
});

/** Width and height of a PNG, as its header has them. */
function sizeOf(file: string): string {
  const png = readFileSync(join(root, packaging.directories.buildResources, file));
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

test('every icon that is named is there, as large as its system wants it', () => {
  expect([packaging.mac.icon, packaging.win.icon].map(sizeOf)).toEqual(['1024x1024', '512x512']);
  const linux = readdirSync(join(root, packaging.directories.buildResources, packaging.linux.icon));
  expect(linux.map((file) => `${sizeOf(join(packaging.linux.icon, file))}.png`)).toEqual(linux);
  expect(linux).toEqual(expect.arrayContaining(['16x16.png', '48x48.png', '256x256.png', '512x512.png']));
  const tray = Object.values(trayIcons).flatMap(({ colour, template }) => [colour, template]);
  const sizes = ['', '@2x', '@3x'].map((dots) => tray.map((file) => sizeOf(file.replace('.png', `${dots}.png`))));
  expect(sizes).toEqual(['16x16', '32x32', '48x48'].map((size) => tray.map(() => size)));
});

test('the tray draws each state in another shape, and the worst of them where there are several', () => {
  const drawn = Object.values(trayIcons).flatMap(({ colour, template }) =>
    [colour, template].map((file) =>
      readFileSync(join(root, packaging.directories.buildResources, file)).toString('hex'),
    ),
  );
  expect(new Set(drawn).size).toBe(8);
  const stakes = { open: 1, atRiskSats: 0, paused: false };
  expect([
    trayIconOf({ running: true, stakes, needsYou: 0, inDanger: 0 }),
    trayIconOf({ running: true, stakes, needsYou: 2, inDanger: 0 }),
    trayIconOf({ running: true, stakes, needsYou: 2, inDanger: 1 }),
    trayIconOf({ running: true, stakes: null, needsYou: 2, inDanger: 0 }),
    trayIconOf({ running: false, stakes: null, needsYou: 0, inDanger: 0 }),
  ]).toEqual(['ok', 'needs-you', 'danger', 'off', 'off']);
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
