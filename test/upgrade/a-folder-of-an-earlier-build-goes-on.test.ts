import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startNodeOn } from '../support/node.ts';
import { startWorld } from '../support/world.ts';
import { fixturePath, readKept, writeDatabase, type Fixture } from './kept.ts';
import { openStage, swapId, toldOf, type AnyTale } from './stage.ts';
import { arkadeLightningTales, fixtureOf, lightningArkadeTales } from './tales.ts';
import { keptJournal } from './world-journal.ts';

/** Schemas that a build before this one wrote; each stays here for ever. */
const schemas = [7];

/** Nothing that was given out before: the networks go on from where they were. */
function laterBytes(): (length: number) => Uint8Array {
  let count = 0;
  return (length) =>
    new Uint8Array(createHash('shake256', { outputLength: length }).update(`later ${count++}`).digest());
}

/** Opens the folder as that build left it. Answers what is wrong when its swap is over, and what was told of it at the start. */
async function opened(schema: number, tale: AnyTale, fixture: Fixture) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
  mkdirSync(join(folder, 'life-1'));
  writeDatabase(join(folder, 'life-1', 'sluice.db'), schema, fixture.database);
  const world = startWorld({ journal: keptJournal(fixture.world), random: laterBytes() });
  const node = await startNodeOn(world, folder, { pollMs: 25 });
  try {
    const view = toldOf(node, swapId(node) ?? '');
    const unread = [...node.runtime.workingSet.unread()];
    if (fixture.world.size === 0) return { faults: [], unread, told: view };
    const { play, faults } = await openStage(world, () => node);
    await play(tale, fixture.opened);
    return { faults: await faults(tale, fixture.opened, fixture.before), unread, told: view };
  } finally {
    await node.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.each(schemas)('a folder of schema %i', (schema) => {
  const tales: readonly AnyTale[] = [...lightningArkadeTales, ...arkadeLightningTales];
  const all = tales.flatMap((tale) =>
    readKept(fixturePath(schema, fixtureOf(tale))).map((fixture) => ({ tale, kept: fixture, name: fixtureOf(tale) })),
  );

  test('every story that was recorded has its fixture, and every fixture its story', () => {
    const files = readdirSync(join(fixturePath(schema, ''), '..')).filter((file) => file !== 'forms.json');
    expect(files.sort()).toEqual(tales.map((tale) => `${fixtureOf(tale)}.json`).sort());
  });

  test.each(all)('$name: goes on from $kept.label', { timeout: 60_000 }, async ({ tale, kept: fixture }) => {
    const { faults, unread, told: view } = await opened(schema, tale, fixture);
    expect({ faults, unread }).toEqual({ faults: [], unread: [] });
    // What was over is told as it was; what is open may have moved already. Strangers' locks were not counted yet.
    if (fixture.label === 'over' || fixture.label === 'reduced')
      expect(JSON.parse(view)).toEqual({ other_locks: 0, ...(JSON.parse(fixture.told) as object) });
  });
});
