import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { newRow } from '../../../engine/runtime/working-set.ts';
import { createLive } from '../../../engine/service/limits/live.ts';
import { openDataFolder } from '../../../engine/store/data-folder.ts';

let path: string;
let folder: ReturnType<typeof openDataFolder>;

function open(): void {
  folder = openDataFolder({
    path,
    network: 'regtest',
    sealingKey: () => new Uint8Array(32).fill(1),
    onLost: () => undefined,
  });
}

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'sluice-live-'));
  open();
});
afterEach(() => {
  folder.close();
  rmSync(path, { recursive: true, force: true });
});

function serve(machine: string): void {
  const row = newRow({
    id: '11111111-1111-4111-8111-111111111111',
    machine,
    createdAt: unix(1_700_000_000),
    status: 'pending',
    userId: '',
    valueSats: sats(1_000),
    terms: {},
    progress: { at: 'opening' },
  });
  folder.store.swaps.insert({ ...row, termsVersion: 1, progressVersion: 1 });
}

const live = (setting: boolean | null = null, sandbox = false) =>
  createLive({ store: folder.store, sandbox, setting: () => setting })();

test('a sandbox is live at once, and a fresh folder of a real network is not', () => {
  expect([live(null, true), live()]).toEqual([true, false]);
});

test('what its owner set outranks either', () => {
  expect([live(false, true), live(true)]).toEqual([false, true]);
});

test('a folder that served swaps before there was the setting stays live, over every start', () => {
  serve('lightning-arkade');
  expect(live()).toBe(true);
  folder.close();
  open();
  expect(live()).toBe(true);
});

test('what the owner swaps with the node after the first start makes nothing live', () => {
  expect(live()).toBe(false);
  serve('lightning-arkade');
  folder.close();
  open();
  expect(live()).toBe(false);
});

test('swaps of its own with other providers are no swaps that it served', () => {
  serve('take-lightning-arkade');
  expect(live()).toBe(false);
});
