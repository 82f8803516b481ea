import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PortFailure } from '../../engine/domain/errors.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { createOutbox, type Handler, type Outbox } from '../../engine/runtime/outbox.ts';
import { openDatabase } from '../../engine/store/open.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { createStore, type Store } from '../../engine/store/store.ts';

let folder: string;
let store: Store;
let outbox: Outbox;
let parked: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-outbox-'));
  store = createStore(openDatabase(folder), createSealer(new Uint8Array(32)));
  parked = [];
});

afterEach(async () => {
  await outbox.stop();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const quiet = () => undefined;

/** An outbox whose only effect is handled by `attempt`, told which try it is. */
function startWith(attempt: (n: number) => void, parkedMs?: number): void {
  let tries = 0;
  const handler: Handler = async (row) => {
    attempt(++tries);
    store.effects.done(row.id);
  };
  outbox = createOutbox({
    store,
    handler,
    log: { info: quiet, warn: quiet, error: quiet },
    nowMs: () => 0,
    onParked: (_, reason) => void parked.push(reason),
    ...(parkedMs === undefined ? {} : { parkedMs }),
  });
  outbox.add([store.effects.insert('swap', { do: 'hold.settle', hash: asSha256(new Uint8Array(32)) }, 0)]);
  outbox.start();
}

test('a disk that is full gives nothing up: the effect is tried again', async () => {
  startWith((n) => {
    if (n === 1) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  });
  await expect.poll(() => store.effects.of('swap')).toEqual([]);
  expect(parked).toEqual([]);
});

test('what was given up is told to the owner and tried once more after a rest', async () => {
  startWith((n) => {
    if (n === 1) throw new PortFailure('operator-refused', 'never', 'the operator is on another network');
  }, 20);
  await expect.poll(() => store.effects.of('swap')).toEqual([]);
  expect(parked).toEqual(['the operator is on another network']);
});

test('what was given up and then dropped by a commit stays dropped', async () => {
  let tries = 0;
  startWith((n) => {
    tries = n;
    throw new PortFailure('operator-refused', 'never', 'the operator is on another network');
  }, 20);
  await expect.poll(() => parked.length).toBe(1);
  store.effects.retire('swap');
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(tries).toBe(1);
});
