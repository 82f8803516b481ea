import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { day } from '../../engine/domain/time.ts';
import { createTrimming } from '../../engine/service/wallet/trimming.ts';
import type { Balances } from '../crash/support/verdict.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { rowsOf, type Fixture } from './kept.ts';
import { openStage, swapId, toldOf, type AnyTale } from './stage.ts';
import type { Opened } from './scenarios.ts';
import { keptJournal } from './world-journal.ts';
import { anyFailure } from '../support/failure.ts';

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

/** Trimmed, where its swap is one that was never funded. */
async function trim(node: TestNode, world: World): Promise<boolean> {
  const entry = node.runtime.workingSet.find(swapId(node) ?? '');
  const unfunded = entry?.machine.unfunded;
  if (entry === null || unfunded?.ends.includes(entry.row.progress.at) !== true) return false;
  await world.advance(unfunded.locktime(entry.row.terms) + 7 * day + 60 - world.now());
  await createTrimming({ runtime: node.runtime, everyMs: 3_600_000, log: node.runtime.log }).check();
  return true;
}

/**
 * What a data folder of this build holds with the swap of a scenario at every state that it goes through, with its
 * networks.
 */
export async function record(scenario: AnyTale): Promise<Fixture[]> {
  const journal = keptJournal();
  const world = startWorld({ journal });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-record-'));
  const fixtures: Fixture[] = [];
  const forms = new Set<string>();
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
    await scenario.open(stage, (answer) => void (opened = answer));
    const openedSwap = opened as Opened | null;
    if (openedSwap === null) throw new Error(`${scenario.name}: nothing was opened`);
    await play(scenario, openedSwap);
    const wrong = await faults(scenario, openedSwap, start);
    if (wrong.length > 0) throw new Error(`${scenario.name}: ${wrong.join(', ')}`);
    keep('over');
    if (await trim(own, world)) keep('trimmed', new Map());
    return fixtures;
  } finally {
    blind = true;
    await node?.stop();
    world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
