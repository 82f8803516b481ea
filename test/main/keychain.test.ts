import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const walk = join(import.meta.dirname, 'support', 'keychain-walk.ts');
const root = join(import.meta.dirname, '..', '..');
const key = Buffer.from(Uint8Array.from({ length: 32 }, (_, at) => at)).toString('hex');

const there = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const missing = [
  ...['dbus-run-session', 'gnome-keyring-daemon'].filter((program) => !there(program)),
  ...(existsSync(join(root, 'node_modules', 'keytar', 'build', 'Release', 'keytar.node')) ? [] : ['keytar']),
];
if (missing.length > 0) console.warn(`SKIPPED: the keychain of a real Secret Service needs ${missing.join(' and ')}.`);

/** In a session of its own, with or without a Secret Service that was unlocked as a login unlocks it. */
function walkIn(home: string, service: boolean): unknown {
  const unlock = service
    ? 'printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 && '
    : '';
  const { stdout, stderr } = spawnSync(
    'dbus-run-session',
    ['--', 'sh', '-c', `${unlock}exec '${process.execPath}' '${walk}'`],
    {
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        XDG_DATA_HOME: home,
        XDG_RUNTIME_DIR: home,
        // Nothing of the machine's own session is reached or started.
        XDG_DATA_DIRS: home,
      },
    },
  );
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`the keychain said nothing: ${stdout}${stderr}`);
  }
}

test.skipIf(missing.length > 0)(
  'a real Secret Service keeps a key, gives it back, and forgets it',
  () => {
    const home = mkdtempSync(join(tmpdir(), 'sluice-keychain-'));
    try {
      expect(walkIn(home, true)).toEqual({ available: true, absent: null, back: key, after: null });
      const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
      expect([files.length > 0, texts.some((text) => text.includes(key))]).toEqual([true, false]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
  90_000,
);

test.skipIf(missing.length > 0)(
  'without a Secret Service, or with one that nobody unlocks, nothing is kept and nothing hangs',
  () => {
    const home = mkdtempSync(join(tmpdir(), 'sluice-keychain-'));
    try {
      // Where the bus can start the service by itself, it is there, and locked.
      expect([{ available: false }, { available: true, refused: true }]).toContainEqual(walkIn(home, false));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
  90_000,
);
