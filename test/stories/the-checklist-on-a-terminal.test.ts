import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checklist } from '../../engine/contract/owner/checklist.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

const doctor = join(import.meta.dirname, '..', '..', 'main', 'cli', 'doctor.ts');

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
  await node.owner('PATCH', '/owner/settings', { live: false });
}, 60_000);
afterAll(() => node.stop());

function run(...flags: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, [doctor, '--checklist', '--data-dir', node.folder, ...flags], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    ),
  );
}

test('each step has its line, with the next act and the command below it, and nothing of the token', async () => {
  const { code, out } = await run();
  expect(code).toBe(1);
  expect(out).toMatch(/^done {6}seed +The seed of a sandbox guards no money/m);
  expect(out).toMatch(/^to do {5}prices +Prices and limits are those that a new node has: 0\.25% of a swap/m);
  expect(out).toMatch(/^ +Look them over, and save them/m);
  expect(out).toMatch(/^All that a swap needs is done: PATCH \/owner\/settings with \{"live": true\} goes live\.$/m);
  expect(out).not.toContain(node.token);
}, 60_000);

test('scripts read the same as JSON, and see when it is live', async () => {
  const read = async () => JSON.parse((await run('--json')).out) as Checklist;
  const before = await read();
  await node.owner('PATCH', '/owner/settings', { live: true });
  const after = await read();
  expect([before.live, before.ready, after.live, after.steps.at(-1)]).toMatchObject([
    false,
    true,
    true,
    { id: 'live', state: 'done' },
  ]);
}, 60_000);

test('without a node it says how to start one', async () => {
  await node.kill('SIGTERM');
  const { code, out, err } = await run();
  expect([code, out, err]).toEqual([
    2,
    '',
    expect.stringContaining(`start it with "npm run headless -- --sandbox --data-dir ${node.folder}", in another`),
  ]);
  await node.start();
}, 60_000);
