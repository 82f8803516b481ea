import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReadyLine } from '../../main/ready.ts';
import { isAlive } from './support/small-engine.ts';

const entry = join(import.meta.dirname, '..', '..', 'main', 'headless.ts');

interface Run {
  readonly process: ChildProcess;
  readonly out: string[];
  readonly log: string[];
  readonly ended: Promise<number | null>;
  firstLine(): Promise<string>;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const out: string[] = [];
  const log: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => out.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    process: child,
    out,
    log,
    ended,
    firstLine: () =>
      Promise.race([
        once(lines, 'line').then(([line]) => line as string),
        ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${log.join('\n')}`))),
      ]),
  };
}

/** Resumes a node that was never paused: the same every time. */
function ask(port: number, method: string, headers: Record<string, string | null>): Promise<number> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path: '/owner/resume', headers: sent }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    call.once('error', reject);
    call.end(method === 'POST' ? '{}' : undefined);
  });
}

describe('the headless node in the sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-headless-'));
  let node: Run;
  let ready: ReadyLine;

  beforeAll(async () => {
    node = run('--sandbox', '--data-dir', folder, '--port', '0');
    ready = JSON.parse(await node.firstLine()) as ReadyLine;
  });

  afterAll(async () => {
    if (node.process.exitCode === null) {
      node.process.kill('SIGKILL');
      await node.ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test('says on one line where it is, and answers there', async () => {
    expect(ready).toEqual({
      event: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      ui: ready.ui,
      network: 'regtest',
      dataDir: folder,
    });
    expect((await fetch(`${ready.url}/health`)).status).toBe(200);
  });

  test('knows its owner by the token in the folder, which only the owner can read', async () => {
    const path = join(folder, 'owner.token');
    const token = readFileSync(path, 'utf8').trim();
    const status = (authorization: string) =>
      fetch(`${ready.url}/owner/status`, { headers: { authorization } }).then((reply) => reply.status);
    expect([
      statSync(path).mode & 0o777,
      statSync(folder).mode & 0o777,
      await status(`Bearer ${token}`),
      await status(`Bearer ${'0'.repeat(64)}`),
    ]).toEqual([0o600, 0o700, 200, 401]);
  });

  // Each of these alone is tested in test/api/hostile.test.ts; here all of them together, on the program that listens.
  test('a request gets in by Host, Origin, method, type and token together, never by four of them', async () => {
    const { host, port } = new URL(ready.url);
    const token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
    const hosts = [host, `evil.example:${port}`, `localhost.:${port}`];
    const origins = [null, ready.url, 'https://evil.example', 'null'];
    const methods = ['POST', 'GET', 'DELETE'];
    const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];
    const tokens = [`Bearer ${token}`, `Bearer ${'0'.repeat(64)}`, null];
    const wrong: string[] = [];
    const counts: Record<number, number> = {};
    for (const name of hosts)
      for (const origin of origins)
        for (const method of methods)
          for (const type of types)
            for (const authorization of tokens) {
              const status = await ask(Number(port), method, {
                host: name,
                origin,
                'content-type': type,
                authorization,
              });
              counts[status] = (counts[status] ?? 0) + 1;
              const stranger = name !== host || (origin !== null && origin !== ready.url);
              const expected = stranger
                ? 403
                : method !== 'POST'
                  ? 405
                  : authorization !== tokens[0]
                    ? 401
                    : type === types[0]
                      ? 200
                      : 415;
              if (status !== expected)
                wrong.push(`${name} ${origin} ${method} ${type} ${authorization?.slice(0, 9)}: ${status}`);
            }
    expect([wrong, counts[200]]).toEqual([[], 2]);
  });

  test('no route carries the words of a seed', async () => {
    const token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
    const document = (await (await fetch(`${ready.url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
    expect(Object.keys(document.paths).filter((path) => /seed|words|mnemonic|setup|restore-seed/.test(path))).toEqual(
      [],
    );
    for (const path of ['/owner/seed', '/owner/words', '/owner/setup'])
      expect((await fetch(`${ready.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(404);
  });

  test('a second start on the folder ends at once with a sentence and without a ready line', async () => {
    const second = run('--sandbox', '--data-dir', folder, '--port', '0');
    const code = await second.ended;
    expect([code, second.out, second.log.map((line) => (JSON.parse(line) as { msg: string }).msg)]).toEqual([
      1,
      [],
      [
        `The data folder ${folder} is in use by another Sluice (process ${node.process.pid}): stop that one first ` +
          'or choose another folder with --data-dir.',
      ],
    ]);
  });

  test('SIGTERM stops it and its networks, and its log was JSON lines without a secret', async () => {
    const { pid } = JSON.parse(readFileSync(join(folder, 'sandbox', 'endpoints.json'), 'utf8')) as { pid: number };
    const secrets = ['owner.token', 'seed.key'].map((name) => readFileSync(join(folder, name), 'utf8').trim());
    expect(isAlive(pid)).toBe(true);
    node.process.kill('SIGTERM');
    expect(await node.ended).toBe(0);
    expect([isAlive(pid), node.out.length, existsSync(join(folder, 'ready.json'))]).toEqual([false, 1, false]);
    expect(node.log.filter((line) => typeof (JSON.parse(line) as { msg?: unknown }).msg !== 'string')).toEqual([]);
    expect(secrets.filter((secret) => node.log.join('\n').includes(secret))).toEqual([]);
  });
});

test('a configuration with an unknown key ends with a sentence', async () => {
  const bad = run('--config', join(import.meta.dirname, 'support', 'misspelt.json'));
  expect([await bad.ended, bad.log.map((line) => (JSON.parse(line) as { msg: string }).msg)]).toEqual([
    1,
    [expect.stringMatching(/^Unknown key "netwrok" in the file .*misspelt\.json: did you mean "network"\?$/)],
  ]);
});
