// Records what a data folder of this build holds with a swap at every state, for the builds that come after it. Run
// once for a released schema, before the next migration is written: node test/upgrade/record.ts
import { encode } from '../../engine/store/codec.ts';
import { migrations } from '../../engine/store/migrate.ts';
import { writeForms } from './forms.ts';
import { fixturePath, writeKept } from './kept.ts';
import { record } from './recording.ts';
import { arkadeLightningScenarios, fixtureOf, lightningArkadeScenarios } from './scenarios.ts';

for (const scenario of [...lightningArkadeScenarios, ...arkadeLightningScenarios]) {
  const fixtures = await record(scenario);
  writeKept(fixturePath(migrations.length, fixtureOf(scenario)), fixtures);
  console.log(`${fixtureOf(scenario)}: ${encode(fixtures.map(({ label }) => label))}`);
}

writeForms(fixturePath(migrations.length, 'forms'));
