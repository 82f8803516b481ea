import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../engine/config.ts';
import { lookAtKeeping } from '../engine/own-keeping.ts';
import { closeOther } from '../engine/runtime/networks/onchain/fence.ts';
import { createTurns } from '../engine/rescue/patience.ts';
import { createLooseNotes } from '../engine/store/loose-notes.ts';
import { createPartialNotes } from '../engine/store/partial-notes.ts';
import { createSealer } from '../engine/store/sealer.ts';
import { newFolder } from './store/support.ts';

const sealer = createSealer(new Uint8Array(32).fill(1));
const coin = { txid: '11'.repeat(32), vout: 1 };

/** A place that hangs whoever opens it, for three seconds: as a share does whose server is gone. */
function hanging(ending: string): string {
  const place = join(newFolder(), `bundle.${ending}`);
  execFileSync('mkfifo', [place]);
  const valve = spawn('sh', ['-c', 'sleep 3; exec 3<>"$0"; sleep 2', place], { stdio: 'ignore' });
  onTestFinished(() => void valve.kill());
  return place;
}

/** Whether all of it let others have their turn. */
async function isQuick(act: () => Promise<unknown>): Promise<boolean> {
  const start = performance.now();
  const done = act();
  const first = performance.now() - start;
  await done;
  return first < 500 && performance.now() - start < 2_500;
}

test('fault 292, store: signatures and claims wait for no place outside that hangs, and none is given', async () => {
  const place = hanging('partials');
  const notes = createPartialNotes({ path: join(newFolder(), 'partials'), sealer });
  const given: unknown[] = [];
  const isInTime = await isQuick(async () => {
    let places: string[] = [];
    await notes.alsoAt(() => places, createTurns(300));
    places = [place];
    closeOther({ subject: 'swap', coin, purpose: 'claim' }, notes);
    const bytes = new Uint8Array(32);
    const note = {
      subject: 'other',
      coin: { ...coin, vout: 2 },
      purpose: 'refund',
      own: false,
      preimage: null,
    } as const;
    given.push(await notes.note({ ...note, txid: '22'.repeat(32), sighash: bytes, outputs: bytes, bytes }));
  });
  expect([isInTime, given, notes.all().length]).toEqual([true, [false], 2]);
});

test('fault 292, store: loose locks wait for no place outside that hangs, and none is begun', async () => {
  const place = hanging('loose-locks');
  const notes = createLooseNotes({ path: join(newFolder(), 'loose'), sealer });
  const given: unknown[] = [];
  const isInTime = await isQuick(async () => {
    await notes.alsoAt(() => [place], createTurns(300)).catch(() => given.push('unread'));
    notes.note({ is: 'lock', term: 1, swap: 'a', amount: 1_000 });
    given.push(await notes.noted(), notes.isAway());
  });
  expect([isInTime, given, notes.isOut('a')]).toEqual([true, ['unread', false, true], true]);
});

test('fault 292, store: where one place outside does not take our own spend, the others have it', async () => {
  const [shut, good] = [join(newFolder(), 'shut'), join(newFolder(), 'good')];
  mkdirSync(shut);
  const local = join(newFolder(), 'partials');
  const notes = createPartialNotes({ path: local, sealer });
  await notes.alsoAt(() => [shut, good], createTurns(2_000)).catch(() => undefined);
  closeOther({ subject: 'swap', coin, purpose: 'claim' }, notes);
  expect(await notes.noteOwn({ subject: 'swap', coin, purpose: 'claim' })).toBe(false);
  const read = [local, good].map((path) => createPartialNotes({ path, sealer }).of(coin).length);
  expect(read).toEqual([1, 1]);
});

test('fault 292, store: the checklist does not wait for a copy that hangs, and says so', async () => {
  const dataDir = newFolder();
  const config = { rescue: { copyTo: '/share/bundle' } } as Config;
  const inTurn = createTurns(50);
  void inTurn('/share', () => new Promise(() => undefined)).catch(() => undefined);
  const { bundle } = await lookAtKeeping({ inTurn, config, dataDir, sandbox: false, trouble: null });
  expect(bundle?.trouble).toContain('/share/bundle does not answer');
});
