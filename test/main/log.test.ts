import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const log = fileURLToPath(new URL('../../main/log.ts', import.meta.url));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function program(text: string, stderr: 'pipe' | number = 'pipe'): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { stderrLog } from ${JSON.stringify(log)}; const log = stderrLog(); ${text}`,
    ],
    { stdio: ['ignore', 'pipe', stderr] },
  );
  running.push(child);
  return child;
}

function outputOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stream?.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
  });
}

describe('the log on standard error', () => {
  it('does not stop the program when nobody reads it, and does not fill its memory', async () => {
    const child = program(`
      const line = 'x'.repeat(1000);
      for (let round = 0; round < 40; round++) {
        for (let i = 0; i < 1000; i++) log.info({ line }, 'a line');
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      process.stdout.write(String(process.memoryUsage().rss < 400e6), () => process.kill(process.pid, 'SIGKILL'));`);
    expect(await outputOf(child.stdout)).toBe('true');
  });

  it('has every line, the last one too, of a program that ends at once', async () => {
    const child = program(
      `for (let i = 0; i < 500; i++) log.info({ i }, 'a line'); log.info({}, 'the last line'); process.exit(3);`,
    );
    const lines = (await outputOf(child.stderr))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect([lines.length, lines.at(-1)?.msg]).toEqual([501, 'the last line']);
  });

  it('tells why the program died of an error that nothing expected', async () => {
    const child = program(
      `process.on('uncaughtException', (err) => { log.fatal({ err }, 'it stops'); process.exit(1); }); ` +
        `log.info({}, 'before'); setTimeout(() => { throw new Error('boom'); }, 1);`,
    );
    const lines = (await outputOf(child.stderr))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    // What was on its way when it died may come after it.
    expect(lines.map(({ msg }) => msg).sort()).toEqual(['before', 'it stops']);
  });

  // A device on which each write finds the disk full.
  it.skipIf(!existsSync('/dev/full'))('fault 203: goes to a full disk, and the program goes on and ends', async () => {
    const full = openSync('/dev/full', 'w');
    const child = program(
      `process.on('uncaughtException', (err) => { log.fatal({ err }, 'it stops'); process.exit(1); }); ` +
        `const timer = setInterval(() => log.error({}, 'the database cannot be written'), 20); ` +
        `setTimeout(() => process.stdout.write('claimed', () => process.exit(0)), 500);`,
      full,
    );
    closeSync(full);
    const closed = once(child, 'close');
    expect([await outputOf(child.stdout), await closed]).toEqual(['claimed', [0, null]]);
  });
});
