// Records what a data folder of this build holds with a swap at every state, for the builds that come after it. Run once
// for a schema, before the next migration is written: node test/upgrade/record.ts
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReduction } from '../../engine/service/reduction.ts';
import { encode } from '../../engine/store/codec.ts';
import { migrations } from '../../engine/store/migrate.ts';
import type { Balances } from '../crash/support/verdict.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { fixturePath, rowsOf, writeKept, type Fixture } from './kept.ts';
import { writeForms } from './forms.ts';
import { openStage, swapId, toldOf, type AnyTale } from './stage.ts';
import { arkadeLightningTales, fixtureOf, lightningArkadeTales, type Opened } from './tales.ts';
import { keptJournal } from './world-journal.ts';
import { anyFailure } from '../support/failure.ts';

const forms = new Set<string>();

/** State, which parts of it are there, and what is owed: one copy of each is kept. */
function formOf(node: TestNode, id: string): string {
  const row = node.store.swaps.byId(id);
  if (row === null) return '';
  const parts = Object.entries(row.progress).map(
    ([name, value]) => `${name}${value === null || typeof value === 'boolean' || name === 'why' ? `=${value}` : ''}`,
  );
  const effects = node.store.effects.of(id).map(({ effect }) => effect.do);
  return `${row.machine} ${row.progress.at} (${parts.join()}) owes ${effects.join() || 'nothing'}`;
}

/** Cut down, where its swap is one that was never funded. */
async function reduced(node: TestNode, world: World): Promise<boolean> {
  const entry = node.runtime.workingSet.find(swapId(node) ?? '');
  const cut = entry?.machine.reducing?.reduce(entry.row.terms, entry.row.progress) ?? null;
  if (cut === null) return false;
  await world.advance(cut.from + 60 - world.now());
  await createReduction({ runtime: node.runtime, everyMs: 3_600_000, log: node.runtime.log }).check();
  return true;
}

async function recorded(tale: AnyTale): Promise<Fixture[]> {
  const journal = keptJournal();
  const world = startWorld({ journal });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-record-'));
  const fixtures: Fixture[] = [];
  let away: readonly string[] = [];
  let blind = true;
  let opened: Opened | null = null;
  let before: Balances | null = null;
  let node: TestNode | null = null;

  /** With its networks, where something may still happen. */
  function keep(label: string, networks = journal.copy()): void {
    const id = node === null ? null : swapId(node);
    if (opened === null || before === null || node === null || id === null) return;
    const view = toldOf(node, id);
    fixtures.push({ label, opened, before, told: view, database: rowsOf(node.databaseFile), world: networks });
  }

  function onBoundary(what: string, moment: 'before' | 'after'): void {
    if (moment === 'before' && away.includes(what)) throw anyFailure('away', 'safe', `${what} gets no answer`);
    if (blind || node === null || what !== 'commit' || moment !== 'after') return;
    const id = swapId(node);
    const form = id === null ? '' : formOf(node, id);
    if (form === '' || forms.has(form)) return;
    forms.add(form);
    keep(form);
  }

  try {
    node = await startNodeOn(world, folder, { pollMs: 25, onBoundary, coins: { count: 2, sats: 500_000n } });
    const own = node;
    const { stage, balances, play, faults } = await openStage(world, () => own, {
      away: (...calls) => void (away = calls),
      keep: (label) => keep(label),
      async unseen(act) {
        blind = true;
        try {
          return await act();
        } finally {
          blind = false;
        }
      },
    });
    const start = await balances();
    before = start;
    blind = false;
    await tale.open(stage, (answer) => void (opened = answer));
    const openedSwap = opened as Opened | null;
    if (openedSwap === null) throw new Error(`${tale.name}: nothing was opened`);
    await play(tale, openedSwap);
    const wrong = await faults(tale, openedSwap, start);
    if (wrong.length > 0) throw new Error(`${tale.name}: ${wrong.join(', ')}`);
    keep('over');
    if (await reduced(own, world)) keep('reduced', new Map());
    return fixtures;
  } finally {
    blind = true;
    await node?.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const tale of [...lightningArkadeTales, ...arkadeLightningTales]) {
  const fixtures = await recorded(tale);
  writeKept(fixturePath(migrations.length, fixtureOf(tale)), fixtures);
  console.log(`${fixtureOf(tale)}: ${encode(fixtures.map(({ label }) => label))}`);
}

writeForms(fixturePath(migrations.length, 'forms'));
