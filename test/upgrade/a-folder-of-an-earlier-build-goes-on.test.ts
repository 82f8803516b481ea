import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrations } from '../../engine/store/migrate.ts';
import { startNodeOn } from '../support/node.ts';
import { startWorld } from '../support/world.ts';
import { fixturePath, readKept, releasedSchemas, writeDatabase, writeKept, type Fixture } from './kept.ts';
import { record } from './recording.ts';
import { openStage, swapId, toldOf, type AnyTale } from './stage.ts';
import { arkadeLightningScenarios, fixtureOf, lightningArkadeScenarios } from './scenarios.ts';
import { keptJournal } from './world-journal.ts';

/** Nothing that was given out before: the networks go on from where they were. */
function laterBytes(): (length: number) => Uint8Array {
  let count = 0;
  return (length) =>
    new Uint8Array(createHash('shake256', { outputLength: length }).update(`later ${count++}`).digest());
}

/**
 * Opens the folder as that build left it. Answers what is wrong when its swap is over, and what was told of it at the
 * start.
 */
async function opened(schema: number, scenario: AnyTale, fixture: Fixture) {
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
    await play(scenario, fixture.opened);
    return { faults: await faults(scenario, fixture.opened, fixture.before), unread, told: view };
  } finally {
    await node.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One of this build: it writes no schema that is released. */
function ofThisBuild(scenario: AnyTale): Promise<readonly Fixture[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fixtures-'));
  const file = join(folder, `${fixtureOf(scenario)}.json`);
  return record(scenario)
    .then((fixtures) => {
      writeKept(file, fixtures);
      return readKept(file);
    })
    .finally(() => rmSync(folder, { recursive: true, force: true }));
}

const scenarios: readonly AnyTale[] = [...lightningArkadeScenarios, ...arkadeLightningScenarios];
const stories = [...releasedSchemas(), migrations.length].flatMap((schema) =>
  scenarios.map((scenario) => ({ schema, scenario, name: fixtureOf(scenario), released: schema < migrations.length })),
);

test.each(stories)(
  'a folder of schema $schema goes on: $name',
  { timeout: 120_000 },
  async ({ schema, scenario, name, released }) => {
    const fixtures = released ? readKept(fixturePath(schema, name)) : await ofThisBuild(scenario);
    expect(fixtures.length).toBeGreaterThan(1);
    for (const fixture of fixtures) {
      const { faults, unread, told: view } = await opened(schema, scenario, fixture);
      const { label } = fixture;
      expect({ label, faults, unread }).toEqual({ label, faults: [], unread: [] });
      // What was over is told as it was; what is open may have moved already.
      if (label === 'over' || label === 'trimmed') expect(JSON.parse(view)).toEqual(JSON.parse(fixture.told));
    }
  },
);
