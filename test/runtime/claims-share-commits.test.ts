import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

/** Of the write-ahead log, by its format (sqlite.org/fileformat2.html): a frame that ends a commit names a size. */
function commits(): number {
  const log = readFileSync(join(scene.node.folder, 'sluice.db-wal'));
  const frame = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + frame <= log.length; at += frame)
    if (log.readUInt32BE(at + 4) !== 0 && log.readUInt32BE(at + 8) === log.readUInt32BE(16)) count += 1;
  return count;
}

test('claims of one moment are prepared, accepted and final in commits that they share', async () => {
  const count = 12;
  const swaps = [];
  for (let i = 0; i < count; i++) swaps.push(await payArkadeLightning(scene, { amount: 20_000n }));
  await eventually(() => scene.node.store.effects.waiting().length === 0, 'every payment is on its way');
  const before = commits();
  for (const { release } of swaps) release('settles');
  for (const { record } of swaps) await scene.node.until(record.id, 'claimed');
  expect(commits() - before).toBeLessThanOrEqual(count);
});
