import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Doctor } from '../../engine/contract/owner/doctor.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
});

afterAll(() => node.stop());

async function ask(): Promise<Doctor['rows']> {
  const { rows } = (await node.owner('GET', '/owner/doctor')) as unknown as Doctor;
  return rows;
}

test('the running node judges itself, and names an operator that went away', async () => {
  const rows = await ask();
  expect(rows.filter(({ result, check }) => result !== 'pass' && check !== 'latency')).toEqual([]);
  const checks = (network: string) => rows.filter((row) => row.network === network).map(({ check }) => check);
  expect([checks('node'), checks('arkade')]).toEqual([
    expect.arrayContaining(['folder', 'disk', 'database']),
    expect.arrayContaining(['exit delay', 'limits', 'liquidity', 'expiry']),
  ]);
  await node.advance(5 * 86_400);
  await node.owner('POST', '/sandbox/arkade/fault', { operator: 'away' });
  const later = await ask();
  expect(
    later
      .filter(({ network, result }) => network === 'arkade' && result === 'fail')
      .map(({ check, sentence }) => `${check}: ${sentence}`),
  ).toEqual([expect.stringMatching(/^connection: The Arkade operator at 127\.0\.0\.1:\d+ /)]);
});
