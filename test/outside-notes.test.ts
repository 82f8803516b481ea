import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../engine/config.ts';
import { asPreimage } from '../engine/domain/hash.ts';
import type { NodeBase } from '../engine/node-base.ts';
import { openMarks } from '../engine/node-marks.ts';
import type { NodePorts } from '../engine/node-ports.ts';
import type { NodeRuntime } from '../engine/node-runtime.ts';
import { createNotedPlaces } from '../engine/noted-places.ts';
import { createOutside } from '../engine/outside-mark.ts';
import { lookAtKeeping } from '../engine/own-keeping.ts';
import { closeOther } from '../engine/runtime/networks/onchain/fence.ts';
import { createTurns } from '../engine/rescue/patience.ts';
import { openDataFolder } from '../engine/store/data-folder.ts';
import { createLooseNotes } from '../engine/store/loose-notes.ts';
import { createPartialNotes } from '../engine/store/partial-notes.ts';
import { createSealer } from '../engine/store/sealer.ts';
import { memoryLog } from './runtime/support.ts';
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

test('fault 292, store: what lies at a place that answers late is counted once it does', async () => {
  const [outer, path] = [newFolder(), newFolder()];
  const sealingKey = (purpose: string) => new Uint8Array(32).fill(purpose === 'store' ? 1 : 2);
  const folder = openDataFolder({ path, network: 'regtest', sealingKey, onLost: () => undefined });
  const copyTo = join(outer, 'bundle');
  const place = `${copyTo}.partials`;
  // It cannot be read, as a share does that has lost its server.
  mkdirSync(place);
  const given: unknown[] = [];
  const runtime = {
    background: (_: string, act: () => unknown) => void act(),
    store: folder.store,
    guard: { paused: () => null },
    workingSet: { find: (id: string) => ({ row: { id, open: true } }) },
    commits: { onCommit: () => undefined, deliver: (id: string, event: { is: string }) => given.push([id, event.is]) },
  };
  const marks = await openMarks(
    {
      ...{ folder, store: folder.store, keys: { sealingKey }, log: memoryLog().log },
      ...{ options: { stateFolder: null, sandbox: null }, intervals: { reconciliation: 20 } },
    } as unknown as NodeBase,
    { settings: { config: { rescue: { copyTo }, boltz: { toArkade: { enabled: false } } } } } as unknown as NodePorts,
    { runtime, upkeep: { reconcile: () => undefined } } as unknown as NodeRuntime,
  );
  onTestFinished(async () => {
    await marks.stop();
    folder.close();
  });
  expect(given).toEqual([]);
  rmdirSync(place);
  const bytes = new Uint8Array(32);
  const note = { subject: 'swap', coin, purpose: 'claim', own: false, txid: '22'.repeat(32) } as const;
  await createPartialNotes({ path: place, sealer: createSealer(sealingKey('partials')) }).note({
    ...note,
    ...{ sighash: bytes, outputs: bytes, bytes, preimage: asPreimage(bytes) },
  });
  await expect.poll(() => given).toEqual([['swap', 'cosign.given']]);
});

test('fault 312, store: a place that is not mounted is not empty while the database may be older', async () => {
  const [outer, dataDir] = [newFolder(), newFolder()];
  const copyTo = join(outer, 'mount', 'bundle');
  const place = `${copyTo}.partials`;
  const key = new Uint8Array(32).fill(3);
  let life = 1;
  let paused = false;
  let isNew = true;
  const settings = new Map<string, unknown>();
  const position = () => ({ folder: '0'.repeat(32), seed: 'a', life, journal: 1, swap: 1, taker: 1, intents: 1 });
  const start = async () => {
    const { mayBeEmpty, begun } = createNotedPlaces({
      ...{ position, key, atStart: [place], isUnwritten: () => isNew, isDoubted: () => isNew || paused },
      settings: {
        get: <T>(name: string) => (settings.get(name) as T | undefined) ?? null,
        put: (name, value) => void settings.set(name, value),
      },
    });
    const notes = createPartialNotes({ path: join(dataDir, 'partials'), sealer });
    await notes.alsoAt(() => [place], createTurns(2_000), mayBeEmpty).catch(() => undefined);
    return { notes, begun };
  };
  const mark = async () => {
    const outside = createOutside({
      ...{ position, key, stateFolder: null, copyTo: () => copyTo, onAhead: () => undefined, log: memoryLog().log },
      restMs: 0,
    });
    await outside.stop();
  };
  const { notes, begun } = await start();
  const unread = [await notes.isUnread()];
  // The node goes on, and writes on the mount point what it writes outside.
  [life, paused, isNew] = [2, true, false];
  begun();
  await mark();
  unread.push(await notes.isUnread(), await (await start()).notes.isUnread());
  // The disk that it was copied from is mounted, with a mark of its life, and never had a note.
  life = 1;
  rmSync(`${copyTo}.mark`);
  await mark();
  life = 2;
  unread.push(await notes.isUnread());
  rmSync(`${copyTo}.mark`);
  await mark();
  unread.push(await (await start()).notes.isUnread());
  // A copy of this database on another machine says nothing of its places.
  rmSync(`${copyTo}.mark`);
  isNew = true;
  unread.push(await (await start()).notes.isUnread());
  expect(unread).toEqual([true, true, true, false, false, true]);
});

test('fault 312, store: notes at a place that was read, and went away, are read before more are written', async () => {
  const place = join(newFolder(), 'bundle.partials');
  const note = (vout: number) => ({ subject: 'a', coin: { ...coin, vout }, purpose: 'claim' }) as const;
  await createPartialNotes({ path: place, sealer }).noteOwn(note(1));
  let isDoubted = false;
  const notes = createPartialNotes({ path: null, sealer });
  await notes.alsoAt(
    () => [place],
    createTurns(2_000),
    async () => !isDoubted,
  );
  rmSync(place);
  isDoubted = true;
  expect([await notes.noteOwn(note(2)), await notes.isUnread()]).toEqual([false, true]);
  await createPartialNotes({ path: place, sealer }).noteOwn(note(3));
  expect([await notes.isUnread(), notes.all().length]).toEqual([false, 3]);
});
