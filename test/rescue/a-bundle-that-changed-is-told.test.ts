import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { bundleName } from '../../engine/rescue/keep.ts';
import { startOwnNode, type OwnNode } from '../connections/own-node.ts';
import { parseExposition } from '../support/exposition.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-changed-bundle-'));
let node: OwnNode | undefined;
afterEach(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the owner's monitoring counts, by the name of the alert. */
async function alerts(running: OwnNode): Promise<Record<string, number>> {
  const { body } = await running.call('metrics');
  const samples = parseExposition(body as unknown as string)['sluice_alerts_total']?.samples ?? [];
  return Object.fromEntries(samples.flatMap(({ labels, value }) => (value > 0 ? [[labels['alert'], value]] : [])));
}

test('a place that cannot be written is told of', async () => {
  const copyTo = join(folder, 'stick', 'copy.bundle');
  const running = (node = await startOwnNode(folder, { network: 'regtest', rescue: { copyTo } }));
  await vi.waitUntil(async () => (await alerts(running))['rescue-bundle-unwritten'] !== undefined, { timeout: 10_000 });
  expect(await alerts(running)).toEqual({ 'rescue-bundle-unwritten': 1 });
});

test('a file in the place of the bundle is moved aside, and its owner told where it is', async () => {
  await (await startOwnNode(folder, { network: 'regtest' })).stop();
  writeFileSync(join(folder, bundleName), 'no bundle of anybody');
  const running = (node = await startOwnNode(folder, { network: 'regtest' }));
  await vi.waitUntil(async () => (await alerts(running))['rescue-bundle-moved'] !== undefined, { timeout: 10_000 });
  const aside = readdirSync(folder).filter((name) => name.startsWith(`${bundleName}.before-`));
  expect([await alerts(running), aside.map((name) => readFileSync(join(folder, name), 'utf8'))]).toEqual([
    { 'rescue-bundle-moved': 1 },
    ['no bundle of anybody'],
  ]);
});
