import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asXOnly } from '../../engine/domain/hash.ts';
import { unix } from '../../engine/domain/time.ts';
import { bundleName, createKeeper } from '../../engine/rescue/keep.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import { alertName } from '../../engine/runtime/alert-names.ts';
import type { Store } from '../../engine/store/store.ts';
import { bundleIn, keysOf } from './keeping.ts';

const store = {
  counters: { peek: () => 7 },
  exits: { revision: () => 0, all: () => noExitPaths, coins: () => [] },
  ownCoins: { all: () => [] },
  swaps: { isOpen: () => null },
} as unknown as Store;

let folder: string;
let copyTo: string;
let hasCopy: boolean;
let alerts: string[];
let states: (string | null)[];
/** What the bundle is long by, and changes with. */
let delay: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-read-back-'));
  copyTo = join(folder, 'copy');
  hasCopy = false;
  [alerts, states, delay] = [[], [], 1];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const signer = asXOnly(new Uint8Array(32).fill(7));

async function keeper() {
  const bundles = createKeeper({
    store,
    walletTerms: () => Array.from({ length: 10_000 }, () => ({ signer, exitDelay: delay })),
    network: 'regtest',
    keys: keysOf(1),
    folder,
    copyTo: () => (hasCopy ? copyTo : null),
    wall: () => unix(1_790_000_000),
    onState: (sentence) => states.push(sentence),
    onDamage: (sentence) => alerts.push(sentence),
  });
  await bundles.flush();
  return bundles;
}

/** Time of the keeper by so many milliseconds a step, each with some of what its files take. */
async function until(test: () => boolean, step: number): Promise<void> {
  for (let steps = 0; !test(); steps++) {
    if (steps === 50_000) throw new Error('it never came');
    vi.advanceTimersByTime(step);
    for (let i = 0; i < 8; i++) await new Promise(setImmediate);
    // A disk that others keep busy.
    if (steps % 10 === 9) await pause(1);
  }
}

/** One byte in the middle of what is sealed. */
function change(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = bytes[at] === 0x41 ? 0x42 : 0x41;
  writeFileSync(path, bytes);
}

const inFolder = () => join(folder, bundleName);

test('a byte that a disk changed is found after a start, told, and the bundle written anew', async () => {
  hasCopy = true;
  const bundles = await keeper();
  expect(statSync(copyTo).size).toBeGreaterThan(1_000_000);
  change(copyTo);
  expect(() => bundleIn(readFileSync(copyTo))).toThrow(/damaged/);
  const began = performance.now();
  await until(() => alerts.length > 0, 10);
  await vi.waitUntil(() => states.length > 1, { timeout: 30_000 });
  expect(performance.now() - began).toBeLessThan(300_000);
  expect([alerts, alerts.map((sentence) => alertName(null, sentence)), states]).toEqual([
    [expect.stringContaining(`${copyTo} was not as it had been written`)],
    ['rescue-bundle-damaged'],
    [null, null],
  ]);
  expect(bundleIn(readFileSync(copyTo)).walletTerms).toHaveLength(10_000);
  await bundles.stop();
});

test('it is found within hours in the data folder too, and so is a file that is shorter or gone', async () => {
  const bundles = await keeper();
  const damages = [change, (path: string) => truncateSync(path, 1_000), (path: string) => rmSync(path)];
  for (const [index, damage] of damages.entries()) {
    const began = performance.now();
    await until(() => performance.now() - began > 10_800_000, 10_000);
    expect(alerts).toHaveLength(index);
    damage(inFolder());
    await until(() => states.length > 1 + index, 10_000);
    expect(alerts.at(-1)).toContain(inFolder());
    expect(bundleIn(readFileSync(inFolder())).walletTerms).toHaveLength(10_000);
  }
  await bundles.stop();
});

test('what is written between two pieces is no damage', async () => {
  const bundles = await keeper();
  for (delay = 2; delay <= 5; delay++) {
    const next = states.length + 1;
    bundles.exitPathsChanged();
    await until(() => states.length === next, 10_000);
  }
  delay = 5;
  const began = performance.now();
  await until(() => performance.now() - began > 3_600_000, 10_000);
  expect([alerts, bundleIn(readFileSync(inFolder())).walletTerms[0]?.exitDelay]).toEqual([[], 5]);
  await bundles.stop();
});
