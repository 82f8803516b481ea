// The configuration of electron-builder by the schema of the version that `npm run pack` runs, from the registry.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import packaging from '../tools/electron-builder.json' with { type: 'json' };
import project from '../../package.json' with { type: 'json' };

const version = /electron-builder@(\d+\.\d+\.\d+) /.exec(project.scripts.pack)?.[1] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'sluice-packaging-'));
let shape: z.ZodType | null = null;

beforeAll(() => {
  const run = (program: string, ...args: string[]) => spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  const { status, stdout, stderr } = run('npm', 'pack', `app-builder-lib@${version}`, '--silent');
  if (status !== 0) return console.warn(`SKIPPED: the schema of electron-builder: no registry. ${stderr}`);
  expect(run('tar', 'xzf', stdout.trim(), 'package/scheme.json').status).toBe(0);
  const text = readFileSync(join(folder, 'package', 'scheme.json'), 'utf8');
  const schema = JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0];
  shape = z.fromJSONSchema(schema);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every name and value of it is one that electron-builder knows', (context) => {
  if (shape === null) return context.skip();
  expect(shape.safeParse(packaging).error?.issues ?? []).toEqual([]);
});

test.each([
  ['a name that there is none of', { asarUnpak: [] }],
  ['a fuse that there is none of', { electronFuses: { ...packaging.electronFuses, runAsNod: false } }],
  ['an entry of the desktop in the wrong place', { linux: { ...packaging.linux, desktop: { StartupWMClass: 'a' } } }],
  ['a word for a flag', { nsis: { ...packaging.nsis, oneClick: 'no' } }],
])('%s would be told', (_, change) => {
  if (shape !== null) expect(shape.safeParse({ ...packaging, ...change }).success).toBe(false);
});
