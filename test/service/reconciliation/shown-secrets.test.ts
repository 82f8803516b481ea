import { afterEach, expect, test, vi } from 'vitest';
import type { Preimage } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import type { LockEvent } from '../../../engine/legs/evm/port.ts';
import { alertName } from '../../../engine/runtime/alert-names.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';
import { createShownSecrets } from '../../../engine/service/reconciliation/shown-secrets.ts';
import { lightningEvmTerms } from '../../swap/lightning-evm-cases.ts';

/* What the claims of our locks showed, of swaps that nobody remembers. */

const { network, contracts, lock } = lightningEvmTerms;
const hour = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

const secretOf = (byte: number) => new Uint8Array(32).fill(byte) as Preimage;

interface Shown {
  readonly events?: readonly object[];
  readonly partials?: readonly object[];
  /** Whether the chain answers, at each look. */
  readonly answers?: () => boolean;
  readonly chain?: typeof network;
  readonly tip?: number;
  /** The first block of which anybody keeps logs, at each look. */
  readonly first?: () => number;
  /** Milliseconds that a question takes. */
  readonly takes?: number;
}

/** By which secrets payments were settled, what each look of the chain began at, and what the owner is told. */
function opened({ events = [], partials = [], answers = () => true, ...of }: Shown) {
  const { chain = network, tip = 300_000, first = () => 0, takes = 0 } = of;
  const settled: string[] = [];
  const from: number[] = [];
  const alerts: string[] = [];
  const port = {
    account: () => lock.refundAddress,
    tip: async () => ({ height: tip }),
    async events(range: { from: number; to: number }) {
      if (!answers()) throw new Error('the chain is away');
      if (takes > 0) vi.advanceTimersByTime(takes);
      if (range.from < first()) throw evmFailure('evm-pruned', 'safe', 'It keeps no logs of so long ago.');
      from.push(range.from);
      return (events as LockEvent[]).filter(({ height }) => height >= range.from && height <= range.to);
    },
  };
  const runtime = {
    ports: { lightning: {}, bitcoin: null, [chain]: port },
    store: { partials: { all: () => partials } },
    alert: (swap: string | null, sentence: string) => alerts.push(`${alertName(swap, sentence)}: ${sentence}`),
  } as unknown as Runtime;
  const look = createShownSecrets({
    runtime,
    contracts: () => contracts,
    forUs: { heard: () => undefined },
    async settle(secret) {
      settled.push(toHex(secret).slice(0, 2));
      return true;
    },
  });
  return { look, settled, from, alerts };
}

const made = (height: number, terms = lock) => ({
  ...{ key: swapKey(terms), height },
  what: { is: 'created', terms },
});
const claimed = (height: number, byte: number, terms = lock) => ({
  ...{ key: swapKey(terms), height },
  what: { is: 'redeemed', preimage: secretOf(byte) },
});

test('fault 156, evm: the claim of a lock of our account settles, and that of a stranger’s does not', async () => {
  const strangers = { ...lock, refundAddress: lock.claimAddress };
  const events = [made(250_000), made(250_001, strangers), claimed(299_000, 1), claimed(299_001, 2, strangers)];
  const { look, settled } = opened({ events });
  await look();
  await look();
  expect(settled).toEqual(['01']);
});

test('fault 156, evm: a chain that breaks off is read on from where it was, and holds nothing else up', async () => {
  let left = 3;
  const partials = [{ preimage: secretOf(7), purpose: 'claim', own: false }];
  const { look, settled, from } = opened({
    events: [made(250_000), claimed(299_000, 1)],
    partials,
    answers: () => left-- > 0,
  });
  await expect(look()).rejects.toThrow(/away/);
  left = 1_000;
  await look();
  expect([settled, from.slice(0, 4)]).toEqual([
    ['07', '07', '01'],
    [0, 5_000, 10_000, 14_799],
  ]);
});

test('fault 156, bitcoin: of what was signed, the secret of the other side’s claim counts alone', async () => {
  const note = { preimage: secretOf(1), purpose: 'claim', own: false };
  const partials = [note, { ...note, own: true }, { ...note, preimage: null }, { ...note, purpose: 'refund' }];
  const { look, settled } = opened({ partials });
  await look();
  expect(settled).toEqual(['01']);
});

const fast = 'evm:42161';

test('fault 296, evm: a lock is looked for as far back as any leg lives, however fast its chain is', async () => {
  const tip = 100_000_000;
  const daysBack = (days: number): number => tip - days * 86_400 * 4;
  const { look, settled, from } = opened({
    ...{ chain: fast, tip },
    events: [made(daysBack(7.2)), claimed(daysBack(6), 1)],
  });
  await look();
  expect([settled, from[0]]).toEqual([['01'], daysBack(8)]);
  const few = opened({ tip: 1_000_000, chain: 'evm:1' });
  await few.look();
  expect(few.from[0]).toBe(800_000);
});

test('fault 296, evm: where fewer logs are kept, those are read and the owner is told of the rest', async () => {
  const first = 234_567;
  const events = [made(first + 15), claimed(299_000, 1)];
  const { look, settled, alerts } = opened({ events, first: () => first });
  await look();
  await look();
  expect(settled).toEqual(['01']);
  expect(alerts).toEqual([expect.stringMatching(/^evm-logs-missing: .* evm:137 .* blocks before 2345[678]\d, /)]);
});

test('fault 296, evm: logs that are there again are read after all', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let first = 200_000;
  const { look, settled, from } = opened({ events: [made(150_000), claimed(299_000, 1)], first: () => first });
  await look();
  first = 0;
  await look();
  expect([settled, from.at(-1)]).toEqual([[], 299_800]);
  vi.advanceTimersByTime(hour);
  await look();
  expect(settled).toEqual(['01']);
});

test('fault 296, evm: RPCs that have no logs at all are a chain that does not answer', async () => {
  const { look, alerts } = opened({ first: () => Infinity });
  await expect(look()).rejects.toMatchObject({ code: 'evm-pruned' });
  expect(alerts).toEqual([]);
});

test('fault 296, evm: a chain that is long to read keeps what was read of it waiting for seconds alone', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { look, settled, from } = opened({ events: [made(3_000), claimed(299_000, 1)], takes: 1_000 });
  await look();
  expect([settled, from.length]).toEqual([[], 10]);
  for (let looks = 0; looks < 9; looks++) await look();
  expect(settled).toEqual(['01']);
});
