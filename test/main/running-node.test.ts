import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { tokenProof } from '../../engine/domain/token-proof.ts';
import { lockFolder } from '../../main/lock.ts';
import { runningNode } from '../../main/running-node.ts';

const token = 'ab'.repeat(32);
let folder: string;
let server: Server;
let url: string;
/** Requests that came, with the token that each of them bore. */
let came: [string, string | undefined][];
/** Whether who listens has the token too. */
let isNode: boolean;
const locks: { release(): void }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-running-'));
  came = [];
  server = createServer((request, reply) => {
    const at = new URL(request.url ?? '', url);
    came.push([at.pathname, request.headers.authorization]);
    const [nonce, origin] = [at.searchParams.get('nonce') ?? '', at.searchParams.get('origin') ?? ''];
    reply.end(JSON.stringify({ proof: tokenProof(isNode ? token : 'cd'.repeat(32), nonce, origin) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'owner.token'), `${token}\n`);
  writeFileSync(join(folder, 'ready.json'), JSON.stringify({ event: 'ready', url }));
  lock();
});
afterEach(() => {
  for (const one of locks.splice(0)) one.release();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function lock(): void {
  const own = lockFolder(folder);
  if (isRefusal(own)) throw new Error(own.sentence);
  locks.push(own);
}

test('the node that holds the folder is asked with the token', async () => {
  isNode = true;
  expect([await runningNode(folder, '/owner/status'), came]).toEqual([
    { url, token },
    [
      ['/proof', undefined],
      ['/owner/status', `Bearer ${token}`],
    ],
  ]);
});

test('fault 242: who took the port of a node that was killed is not even asked', async () => {
  isNode = true;
  locks.pop()?.release();
  expect([await runningNode(folder, '/owner/status'), came]).toEqual([null, []]);
});

test('fault 242: who took it while another process holds the folder gets no token', async () => {
  isNode = false;
  expect([await runningNode(folder, '/owner/status'), came]).toEqual([null, [['/proof', undefined]]]);
});
