import { describe, expect, test, vi } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { EvmPort } from '../../engine/legs/evm/port.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { createClock } from '../../engine/runtime/clock.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { openWorlds } from '../sandbox/worlds.ts';
import { memoryLog } from './support.ts';
import { anyFailure } from '../support/failure.ts';

function clockOn(bitcoin: BitcoinPort | null, wall: () => number) {
  return createClock({
    wall: () => unix(wall()),
    ports: { arkade: null, lightning: null, bitcoin },
    pollMs: 60_000,
    log: memoryLog().log,
  });
}

test('every timelock is closed until the chain was read once, and without an endpoint for ever', async () => {
  const { bitcoin } = openWorlds();
  const wall = () => bitcoin.clock.now();
  const clock = clockOn(createBitcoinPort(bitcoin), wall);
  const none = clockOn(null, wall);
  const before = clock.now();
  await Promise.all([clock.refresh(), none.refresh()]);
  expect([before, none.now(), clock.now()]).toEqual([
    { wall: wall(), bitcoin: { mtp: null, height: null } },
    { wall: wall(), bitcoin: { mtp: null, height: null } },
    { wall: wall(), bitcoin: { mtp: bitcoin.clock.mtp(), height: bitcoin.clock.height() } },
  ]);
});

test('fault 36: an endpoint that went silent is believed for four hours and not longer', async () => {
  const { bitcoin } = openWorlds();
  let away = false;
  let wall = bitcoin.clock.now();
  const port = createBitcoinPort(bitcoin, () => {
    if (away) throw anyFailure('away', 'safe', 'nobody answers');
  });
  const clock = clockOn(port, () => wall);
  await clock.refresh();
  away = true;
  wall += 4 * 3_600 - 1;
  await clock.refresh();
  const believed = clock.now().bitcoin.mtp;
  wall += 1;
  const unknown = [clock.now().bitcoin.mtp, clock.now().bitcoin.height];
  away = false;
  await clock.refresh();
  expect([believed, unknown, clock.now().bitcoin.mtp]).toEqual([
    bitcoin.clock.mtp(),
    [null, null],
    bitcoin.clock.mtp(),
  ]);
});

test('a wall set back makes no silence shorter, and one that leaps ahead makes none longer', async () => {
  const { bitcoin } = openWorlds();
  let wall = bitcoin.clock.now();
  let away = false;
  const port = createBitcoinPort(bitcoin, () => {
    if (away) throw anyFailure('away', 'safe', 'nobody answers');
  });
  const clock = clockOn(port, () => wall);
  await clock.refresh();
  away = true;
  const run = performance.now() + 4 * 3_600_000;
  const process = vi.spyOn(performance, 'now').mockImplementation(() => run);
  wall -= 86_400;
  await clock.refresh();
  const setBack = clock.now().bitcoin.mtp;
  away = false;
  wall += 2 * 86_400;
  await clock.refresh();
  process.mockRestore();
  expect([setBack, clock.now().bitcoin.mtp]).toEqual([null, bitcoin.clock.mtp()]);
});

test("fault 36: an endpoint that lags does not turn the chain's clock back", async () => {
  const ahead = openWorlds().bitcoin;
  const behind = openWorlds().bitcoin;
  ahead.advance(7_200);
  let current = createBitcoinPort(ahead);
  const clock = clockOn({ ...current, genesis: () => current.genesis(), tip: () => current.tip() }, () =>
    ahead.clock.now(),
  );
  const tips: number[] = [];
  clock.onTip(({ height }) => void tips.push(height));
  await clock.refresh();
  current = createBitcoinPort(behind);
  await clock.refresh();
  expect({ mtp: clock.now().bitcoin.mtp, height: clock.now().bitcoin.height, told: tips }).toEqual({
    mtp: ahead.clock.mtp(),
    height: ahead.clock.height(),
    told: [ahead.clock.height()],
  });
});

test('a block is told once', async () => {
  const { bitcoin } = openWorlds();
  const clock = clockOn(createBitcoinPort(bitcoin), () => bitcoin.clock.now());
  const tips: number[] = [];
  clock.onTip(({ height }) => void tips.push(height));
  await clock.refresh();
  await clock.refresh();
  bitcoin.mine(1);
  await clock.refresh();
  expect(tips).toEqual([bitcoin.clock.height() - 1, bitcoin.clock.height()]);
});

test('fault 45: of what the Lightning node says only what is ahead counts', async () => {
  const { bitcoin } = openWorlds();
  const clock = clockOn(createBitcoinPort(bitcoin), () => bitcoin.clock.now());
  await clock.refresh();
  const read = { mtp: bitcoin.clock.mtp(), height: bitcoin.clock.height() };
  const node = { alias: 'mine', pubkey: '', version: '', network: 'regtest', synced: true } as const;
  for (let i = 0; i < 11; i++)
    clock.hear({ ...node, height: read.height - 20 + i, tipTime: unix(read.mtp - 9_000 + i) });
  const behind = clock.now().bitcoin;
  for (let i = 1; i < 7; i++) clock.hear({ ...node, height: read.height + i, tipTime: unix(read.mtp + 600 * i) });
  expect([behind, clock.now().bitcoin]).toEqual([
    read,
    { ...read, ahead: { mtp: read.mtp + 600, height: read.height + 6 } },
  ]);
});

describe('the clock of an EVM chain', () => {
  const network = 'evm:137';
  const start = 1_760_000_000;

  function evmClock(wall: () => number, mtp: () => number | null = () => null) {
    const tip = { height: 10, hash: 'aa'.repeat(32), time: unix(start) };
    const port = { tip: async () => ({ ...tip }), disagreement: () => null } as unknown as EvmPort;
    const bitcoin = {
      tip: async () => {
        const read = mtp();
        if (read === null) throw anyFailure('away', 'safe', 'nobody answers');
        return { height: 900_000, hash: `${read}`, mtp: unix(read), time: unix(read), era: 0 };
      },
      disagreement: () => null,
    } as unknown as BitcoinPort;
    const clock = createClock({
      wall: () => unix(wall()),
      ports: { arkade: null, lightning: null, bitcoin, [network]: port },
      pollMs: 60_000,
      log: memoryLog().log,
    });
    return {
      tip,
      async says(time: number) {
        Object.assign(tip, { time: unix(time), height: tip.height + 1 });
        await clock.refresh();
        const { mtp: read = null, doubt } = clock.now()[network] ?? {};
        return [read, doubt !== undefined];
      },
    };
  }

  test('fault 36, evm: a block of another year moves no clock, stops what is new, and leaves no trace', async () => {
    const clock = evmClock(() => start + 10);
    expect([
      await clock.says(start),
      await clock.says(start + 31_536_000),
      await clock.says(start + 2),
      await clock.says(start + 1),
    ]).toEqual([
      [start, false],
      [start, true],
      [start + 2, false],
      [start + 2, false],
    ]);
    expect(await evmClock(() => start).says(start + 7_201)).toEqual([null, true]);
  });

  test('fault 60, evm: a wall that is wrong by hours, with Bitcoin to say so, stops no clock and sets none', async () => {
    let wall = start - 14 * 3_600;
    const clock = evmClock(
      () => wall,
      () => start - 3_600,
    );
    await clock.says(start);
    expect(await clock.says(start + 60)).toEqual([start + 60, false]);
    // What was believed by a wall that leapt is not kept once no clock comes near it.
    wall = start + 14 * 3_600;
    expect(await clock.says(start + 13 * 3_600)).toEqual([start + 13 * 3_600, false]);
    wall = start + 120;
    expect(await clock.says(start + 120)).toEqual([start + 120, false]);
  });
});
