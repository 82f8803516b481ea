import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Config } from '../../engine/config.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { evmFailure } from '../../engine/legs/evm/failures.ts';
import type { EvmPort, LockEvent } from '../../engine/legs/evm/port.ts';
import { swapKey } from '../../engine/legs/evm/swap-key.ts';
import { rescue } from '../../engine/rescue/rescue.ts';
import { deposit, inMempool, payee } from '../support/bitcoin-wallet.ts';
import { seedOf, testConfig } from '../support/node.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { lightningEvmTerms } from '../swap/lightning-evm-cases.ts';
import { portsOf } from './rescuer.ts';

/* Without a bundle: how far back the logs of a chain are searched for locks, and what is said of the rest. */

const { contracts, lock } = lightningEvmTerms;
const tip = 100_000_000;
const daysBack = (days: number): number => tip - days * 86_400 * 4;
const opened = vi.hoisted((): { ports: object } => ({ ports: {} }));

vi.mock('../../engine/rescue/connect.ts', async (original) => ({
  ...(await original<typeof import('../../engine/rescue/connect.ts')>()),
  connect: async () => ({ ports: opened.ports, stop: async () => undefined }),
}));

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({ bundle: true, bitcoinWallet: true }, 'usual');
  await deposit(scene, 60_000);
  await scene.node.stop();
});

afterEach(async () => {
  vi.useRealTimers();
  await scene.end();
});

interface Searched {
  /** Where locks of our own were made that stand. */
  readonly made?: readonly number[];
  /** The first block of which anybody keeps logs. */
  readonly first?: number;
  /** Of logs before this block nobody answers. */
  readonly away?: number;
  /** So many questions, of the tip and of logs, fail before one is answered, again and again. */
  readonly shaky?: number;
  /** Milliseconds that a question takes. */
  readonly takes?: number;
}

/** The words alone, on a chain of four blocks a second and the Bitcoin chain. */
async function search({ made = [], first = 0, away = 0, shaky = 0, takes = 0 }: Searched, to: readonly string[] = []) {
  const locks = made.map((height) => ({ height, terms: { ...lock, amount: (lock.amount + BigInt(height)) as never } }));
  const events = locks.map(({ height, terms }) => {
    return { key: swapKey(terms), height, what: { is: 'created', terms } } as unknown as LockEvent;
  });
  let failures = 0;
  const shake = (): void => {
    if (failures++ % (shaky + 1) < shaky) throw evmFailure('evm-unclear', 'safe', 'It answered nonsense.');
  };
  const port: Partial<EvmPort> = {
    account: () => lock.refundAddress,
    async tip() {
      shake();
      return { height: tip, hash: '', time: lightningEvmTerms.fundBefore };
    },
    isActive: async () => true,
    balance: async () => 0n,
    async events(range) {
      if (takes > 0) vi.advanceTimersByTime(takes);
      shake();
      if (range.from < away) throw evmFailure('evm-away', 'safe', 'Nobody answers.');
      if (range.from < first) throw evmFailure('evm-pruned', 'safe', 'It keeps no logs of so long ago.');
      return events.filter(({ height }) => height >= range.from && height <= range.to);
    },
  };
  const left = { world: scene.world, folder: scene.node.folder };
  opened.ports = { ...portsOf(left, null), 'evm:42161': port };
  const evm = { '42161': { contracts, peggedToken: null, tokens: [] } } as unknown as Config['evm'];
  const lines: string[] = [];
  const outcome = await rescue({
    ...{ config: { ...testConfig(), evm }, seed: seedOf(1), bundle: null },
    ...{ operatorGone: false, byHand: [], to, unroll: false },
    say: (line) => lines.push(line),
    agree: async () => true,
  });
  const ids = locks.map(({ terms }) => `lock ${toHex(swapKey(terms)).slice(0, 16)} (on evm:42161)`);
  return {
    outcome,
    lines,
    of: (line: RegExp) => lines.filter((one) => line.test(one)),
    listed: ids.map((id) => lines.includes(id)),
  };
}

test('fault 308, evm: a lock that stood for weeks on a chain of fast blocks is listed', async () => {
  const { outcome, listed } = await search({ made: [daysBack(34), daysBack(3), tip] });
  expect([outcome, listed]).toEqual(['later', [true, true, true]]);
});

test('fault 308, evm: what was searched without anything there is done, and says how far back', async () => {
  const { outcome, of } = await search({});
  expect([outcome, of(/block/)]).toEqual(['done', [expect.stringContaining(`from block ${daysBack(35)} on`)]]);
});

test('fault 308, evm: where fewer logs are kept those are read, and of the rest it says what to do', async () => {
  const first = daysBack(2) + 12_345;
  const { outcome, listed, of } = await search({ first, made: [first + 15, tip] });
  expect([outcome, listed]).toEqual(['later', [true, true]]);
  const [before] = of(/before block/);
  expect(Number(before?.match(/before block (\d+)/)?.[1]) - first).toBeLessThan(16);
  expect(before).toMatch(/^Chain 42161 could not be searched .*: It keeps no logs .*\. Run this again/);
});

test('fault 308, evm: with nothing there that is left, a chain without its oldest logs is not done', async () => {
  expect((await search({ first: daysBack(1) })).outcome).toBe('later');
});

test('fault 308, evm: what was read before a chain broke off is listed, and not done', async () => {
  const { outcome, listed, of } = await search({ away: daysBack(5), made: [daysBack(4)] });
  expect([outcome, listed, of(/could not be searched/)]).toEqual([
    'later',
    [true],
    [expect.stringMatching(/before block \d+: Nobody answers\. Run this again/)],
  ]);
  const none = await search({ away: tip + 1 });
  expect([none.outcome, none.of(/could not be searched/)]).toEqual([
    'later',
    [expect.stringMatching(/^Chain 42161 could not be searched for locks: Nobody answers\. Run this again/)],
  ]);
});

test('fault 317, evm: a piece of logs that nobody told is wanted again, and the search goes on', async () => {
  const { outcome, listed, of } = await search({ shaky: 2, made: [tip - 50_000, daysBack(34)] });
  expect([outcome, listed, of(/could not be searched/)]).toEqual(['later', [true, true], []]);
}, 60_000);

test('fault 308, evm: logs that come slowly hold the rest up for half an hour, and are not done', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { outcome, listed, of } = await search({ takes: 60_000, made: [tip - 200_000, daysBack(34)] });
  expect([outcome, listed]).toEqual(['later', [true, false]]);
  expect(of(/could not be searched .* too slowly/)).toHaveLength(1);
});

test('fault 308, evm: what no RPC can tell any more keeps nothing from being sent away', async () => {
  const { outcome, lines } = await search({ first: daysBack(1) }, [payee]);
  expect([outcome, inMempool(scene).length]).toEqual(['later', 1]);
  await scene.world.mine(1);
  expect(lines.join('\n')).not.toMatch(/once nothing is left/);
  expect((await search({}, [payee])).outcome).toBe('done');
});
