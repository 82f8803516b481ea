// The interface of a container for StartOS: what comes to its port is answered by a server that listens on loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deploy } from './files.ts';

const server = (port: number): string => `
  const { createServer } = require('node:http');
  createServer((request, answer) => answer.end(request.url + ' ' + request.headers['x-forwarded-for']))
    .listen(${port}, '127.0.0.1', () => console.log('ready'));
`;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

test('hands each request on, adds no header, and ends with the node', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-forward-'));
  const [opened, behind] = [await freePort(), await freePort()];
  // Other tests have a node on the port that all have: two free ones stand for those of the file.
  const text = deploy('start9/forward.mjs')
    .replace('port: 8733', `port: ${opened}`)
    .replace('port: 7733', `port: ${behind}`);
  const file = join(folder, 'forward.mjs');
  writeFileSync(file, text);
  const node = spawn(process.execPath, ['--import', file, '-e', server(behind)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(node.stdout, 'data');
    const answer = await fetch(`http://127.0.0.1:${opened}/health/live`);
    expect([answer.status, await answer.text()]).toEqual([200, '/health/live undefined']);
  } finally {
    const ended = once(node, 'exit');
    node.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
