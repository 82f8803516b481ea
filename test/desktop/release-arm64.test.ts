// The server for another machine than this one: what it would load there is compiled for it, by the heads of its files.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
const server = `sluice-${project.version}-server-linux-arm64`;
/** The machine that an ELF file is for, by the number at its 18th byte. */
const machines: Readonly<Record<number, string>> = { 0x3e: 'x64', 0xb7: 'arm64' };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-arm64-'));
  const dist = [join(root, 'test', 'tools', 'dist.ts'), '--to', folder, '--dirty', '--only', 'linux-arm64'];
  execFileSync(process.execPath, dist, { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('tar', ['--extract', '--file', join(folder, `${server}.tar.gz`), '--directory', folder]);
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Null for what is no program or library of Linux. */
function machineOf(path: string): string | null {
  const head = Buffer.alloc(20);
  const file = openSync(path, 'r');
  const length = readSync(file, head);
  closeSync(file);
  if (length < head.length || head.toString('latin1', 0, 4) !== '\x7fELF') return null;
  return machines[head.readUInt16LE(18)] ?? 'another machine';
}

test('programs and libraries of Linux in it are for arm64, but those that a package has for each machine', () => {
  const compiled = readdirSync(join(folder, server), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const machine = machineOf(path);
      return machine === null ? [] : [{ path: relative(join(folder, server), path), machine }];
    });
  const ofArm64 = compiled.filter(({ machine }) => machine === 'arm64').map(({ path }) => path);
  expect(ofArm64).toEqual(
    expect.arrayContaining([
      'node_modules/@foundry-rs/anvil-linux-arm64/bin/anvil',
      'node_modules/better-sqlite3/prebuilds/linux-arm64.node',
    ]),
  );
  const others = compiled.filter(({ machine }) => machine !== 'arm64').map(({ path }) => path);
  expect(others.filter((path) => !/\/prebuilds\/linux(musl)?-x64\.node$/.test(path))).toEqual([]);
});
