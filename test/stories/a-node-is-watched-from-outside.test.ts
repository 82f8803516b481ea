import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let port: number;
let holder: ReturnType<typeof createServer>;

beforeAll(async () => {
  // Below those that the system gives to whoever asks for any: between this test's end and the node's start another
  // program would have it.
  for (port = 20_000 + (process.pid % 10_000); ; port++) {
    holder = createServer().listen(port, '127.0.0.1');
    const isFree = await once(holder, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) return;
  }
});
afterAll(async () => {
  await node?.stop();
});

const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
const metrics = async () => parseExposition(await (await at('/metrics')).text());

test('a port of metrics.listen that is taken keeps the node from starting', async () => {
  const environment = { SLUICE_METRICS__LISTEN: `127.0.0.1:${port}` };
  await expect(startWireNode({ environment })).rejects.toThrow(
    new RegExp(`metrics\\.listen is 127\\.0\\.0\\.1:${port}, and nothing can listen there \\(EADDRINUSE\\)`),
  );
  await new Promise((resolve) => holder.close(resolve));
  node = await startWireNode({ environment });
}, 60_000);

test('its first line says what runs, and on which networks', () => {
  const [first] = node.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({
    msg: 'Sluice starts',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    commit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/),
    network: 'sandbox',
    networks: ['arkade', 'lightning', 'bitcoin', 'evm'],
  });
});

test('ready follows a network that goes away and comes back, at both addresses, and live does not', async () => {
  const ready = async () => [(await at('/health/ready')).status, (await node.raw('GET', '/health/ready')).status];
  expect(await ready()).toEqual([200, 200]);
  await node.owner('POST', '/sandbox/arkade/fault', { operator: 'away' });
  await eventually(ready, (both) => both.every((status) => status === 503));
  const { sluice_network_up: up, sluice_ready: sum } = await metrics();
  expect([
    (await at('/health/live')).status,
    up?.samples.find(({ labels }) => labels['network'] === 'arkade')?.value,
    sum?.samples[0]?.value,
  ]).toEqual([200, 0, 0]);
  await node.owner('POST', '/sandbox/arkade/fault', { operator: 'back' });
  await eventually(ready, (both) => both.every((status) => status === 200));
}, 60_000);

test('what it writes names no host but this machine, and begins at the level in force', async () => {
  const lines = node.log.join('\n');
  expect(lines.match(/\b(?!127\.0\.0\.1)\d+\.\d+\.\d+\.\d+\b|bcrt1[02-9ac-hj-np-z]{20,}|\/tmp\/sluice/g)).toBeNull();
  await node.owner('PATCH', '/owner/settings', { log: { level: 'error' } });
  const before = node.log.length;
  await node.owner('POST', '/sandbox/lightning/fault', { node: 'away' });
  await eventually(
    async () => (await at('/health/ready')).status,
    (status) => status === 503,
  );
  expect(node.log.slice(before).filter((line) => (JSON.parse(line) as { level: number }).level < 50)).toEqual([]);
  await node.owner('POST', '/sandbox/lightning/fault', { node: 'back' });
}, 60_000);
