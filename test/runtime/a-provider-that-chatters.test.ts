import { afterEach, expect, test, vi } from 'vitest';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { providerWatching } from '../../engine/runtime/networks/provider/watch.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { Providers } from '../../engine/taker/port.ts';

afterEach(() => void vi.useRealTimers());

const pollMs = 1_000;
const tenMinutes = 600_000;
const target = { on: 'provider', provider: 'p', swapId: 'theirs' } as const;

/** A watch of one swap at a provider that says what it is told to, or breaks off. */
function watching(says: () => SwapStatus) {
  vi.useFakeTimers();
  const [words, failures]: [SwapStatus[], unknown[]] = [[], []];
  const status = async () => ({ status: says() });
  const watch = providerWatching.open({
    ports: { providers: (() => ({ status })) as unknown as Providers },
    deliver: (_: string, event: Event) => void (event.is === 'provider.seen' && words.push(event.status)),
    onFailure: (_: string, cause: unknown) => void failures.push(cause),
    pollMs,
  } as never);
  watch?.add('ours', target);
  watch?.start();
  return {
    words,
    failures,
    changes: () => words.filter((word, i) => word !== words[i - 1]).length,
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    again() {
      watch?.remove('ours', target);
      watch?.add('ours', target);
    },
    stop: () => watch?.stop(),
  };
}

const flips: readonly SwapStatus[] = ['pending', 'serverfunded'];

test('fault 323: of a word that changes at every look one is heard now and then', async () => {
  let looks = 0;
  const on = watching(() => flips[looks++ % 2] ?? 'pending');
  await on.pass(tenMinutes);
  expect([looks > 500, on.changes() <= 18]).toEqual([true, true]);
  const before = on.changes();
  await on.pass(6 * tenMinutes);
  expect(on.changes() - before).toBeGreaterThan(2);
  expect(on.changes() - before).toBeLessThanOrEqual(7);
  await on.stop();
});

test('fault 323: a swap that is watched again and again hears no more changes of it', async () => {
  let looks = 0;
  const on = watching(() => flips[looks++ % 2] ?? 'pending');
  for (let i = 0; i < 300; i++) {
    on.again();
    await on.pass(2 * pollMs);
  }
  expect(on.changes()).toBeLessThanOrEqual(18);
  await on.stop();
});

test('fault 323: a swap that is watched again hears a word that stands each time', async () => {
  const on = watching(() => 'serverwontfund');
  for (let i = 0; i < 100; i++) {
    on.again();
    await on.pass(pollMs);
  }
  expect(on.words.length).toBeGreaterThanOrEqual(100);
  await on.stop();
});

test('fault 323: a word that stands is heard at every look, and one that matters within ten minutes', async () => {
  let [looks, says]: [number, SwapStatus | null] = [0, 'pending'];
  const on = watching(() => says ?? flips[looks++ % 2] ?? 'pending');
  await on.pass(20 * pollMs);
  expect(on.words.length).toBeGreaterThan(15);
  says = null;
  await on.pass(60 * pollMs);
  says = 'serverwontfund';
  await on.pass(tenMinutes);
  expect(on.words.at(-1)).toBe('serverwontfund');
  await on.stop();
});

test('fault 323: of a provider that fails at every second look the log has a few lines', async () => {
  let looks = 0;
  const on = watching(() => {
    if (looks++ % 2 === 0) throw new Error('no answer');
    return 'pending';
  });
  await on.pass(tenMinutes);
  expect(on.failures.length).toBeGreaterThan(1);
  expect(on.failures.length).toBeLessThanOrEqual(17);
  await on.stop();
});
