import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const top = join(import.meta.dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Those that are programs of ours; the others are tools that answer for themselves. */
const commands = Object.keys(scripts).filter((name) => scripts[name]?.startsWith('node '));

test('they are all but the tools of others', () => {
  expect(Object.keys(scripts).filter((name) => !commands.includes(name))).toEqual([
    'pack',
    'format',
    'test',
    'test:stories',
    'test:desktop',
  ]);
});

describe.each(commands)('npm run %s', (command) => {
  test.each(['--help', '-h'])('%s says what it takes, and does nothing else', (flag) => {
    const home = mkdtempSync(join(tmpdir(), 'sluice-help-'));
    const [program, ...args] = (scripts[command] ?? '').split(' ');
    expect(program).toBe('node');
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--data-dir', join(home, 'data'), flag], {
      cwd: top,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home, TMPDIR: home },
      timeout: 20_000,
    });
    // What a program compiled is kept where the machine keeps such things.
    const made = readdirSync(home).filter((name) => !/compile-cache/.test(name));
    rmSync(home, { recursive: true, force: true });
    expect([status, stderr, made]).toEqual([0, '', []]);
    expect(stdout).toMatch(/\nUsage: npm (start|run \S+) -- .+\n\n( {2}\S.*\n)+$/);
    expect(stdout).toContain(command === 'start' ? 'npm start' : `npm run ${command} `);
  });
});
