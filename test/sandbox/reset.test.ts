import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../engine/index.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { SandboxEndpoints } from '../../engine/sandbox/endpoints.ts';
import { readSettings } from '../../main/settings.ts';
import { memoryLog } from '../runtime/support.ts';
import { readEndpoints } from '../support/sandbox-endpoints.ts';

/** A node whose sandbox is asked by way of a server that may give a reset no answer or refuse it. */
let folder: string;
let sandbox: ChildProcess;
let control: SandboxEndpoints['control'];
let between: Server;
let engine: Engine;
let onReset: 'hand on' | 'silent' | 'fail' = 'hand on';
let resets = 0;

async function handOn(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  if (url === '/sandbox/reset') {
    resets += 1;
    if (onReset === 'silent') return void setTimeout(() => request.destroy(), 500);
    if (onReset === 'fail') return void reply.writeHead(500).end(JSON.stringify({ error: 'no room on the disk.' }));
  }
  const body = await text(request);
  const answered = await fetch(control.url + url, {
    method,
    headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body }),
  });
  reply.writeHead(answered.status).end(await answered.text());
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-reset-'));
  // A process of its own, as beside any node: both in this one are too slow for the coins of a start.
  const networks = join(folder, 'networks');
  sandbox = spawn(process.execPath, [join(import.meta.dirname, 'program.ts'), networks], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (sandbox.stdout !== null) await once(sandbox.stdout, 'data');
  const endpoints = readEndpoints(networks);
  if (endpoints === null) throw new Error('the sandbox wrote no endpoints');
  ({ control } = endpoints);
  between = createServer((request, reply) => void handOn(request, reply));
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const dataDir = join(folder, 'node');
  const settings = readSettings(
    { sandbox: true, config: null, dataDir, port: 0, passphraseFile: null, passphraseFd: null, mine: false },
    {},
    process.platform,
  );
  if (isRefusal(settings)) throw new Error(settings.sentence);
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  engine = await startEngine({
    ...{ config: settings.config, settings: settings.source, dataDir, stateFolder: null, log: memoryLog().log },
    seed: new Uint8Array(64).fill(5),
    token: 'f'.repeat(64),
    sandbox: { endpoints: { ...endpoints, control: { ...control, url } } },
  });
}, 120_000);

afterAll(async () => {
  await engine.stop();
  between.closeAllConnections();
  between.close();
  sandbox.kill('SIGTERM');
  await once(sandbox, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

const call = (route: string) => engine.dispatch(route, { body: {} }) as Promise<{ status: number; body: object }>;

/** A key that the database has while it is the same one. */
async function keys(): Promise<unknown> {
  return ((await call('developerKeys')).body as { keys: unknown[] }).keys.length;
}

const refused = (why: string) => ({
  status: 503,
  body: { error: expect.stringContaining(`The networks of the sandbox were not renewed (${why}`) as string },
});

test(
  'fault 369: a reset that fails leaves a node that runs, and the next one renews all',
  { timeout: 180_000 },
  async () => {
    await engine.dispatch('newDeveloperKey', { body: { name: 'mark', max_extra_fee_bps: 10 } });
    expect(await keys()).toBe(1);

    onReset = 'silent';
    expect([await call('sandboxReset'), (await call('ownerStatus')).status]).toEqual([
      refused('The sandbox at http'),
      200,
    ]);
    expect(await keys()).toBe(1);

    onReset = 'fail';
    expect([await call('sandboxReset'), (await call('ownerStatus')).status]).toEqual([
      refused('no room on the disk'),
      200,
    ]);
    expect(await keys()).toBe(1);

    onReset = 'hand on';
    expect(await call('sandboxReset')).toMatchObject({ status: 200, body: {} });
    expect([(await call('ownerStatus')).status, await keys(), resets]).toEqual([200, 0, 3]);
  },
);
