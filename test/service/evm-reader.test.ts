import { expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { btc, sats } from '../../engine/domain/money.ts';
import { seconds } from '../../engine/domain/time.ts';
import type { EvmClockLimits } from '../../engine/legs/clock-limits.ts';
import { evmFailure } from '../../engine/legs/evm/failures.ts';
import type { EvmPort } from '../../engine/legs/evm/port.ts';
import { alertName } from '../../engine/runtime/alert-names.ts';
import { createEvmReader, type EvmAccountRules } from '../../engine/service/networks/evm.ts';
import { evmScene, network, ours, client, until } from '../runtime/evm/scene.ts';
import { createEvmChain } from '../support/evm-chain.ts';

const coin = 10n ** 18n;
const limits: EvmClockLimits = {
  tipAge: { seconds: seconds(600), strict: true },
  ahead: { seconds: seconds(900), strict: true },
  apart: { seconds: seconds(10_800), strict: true },
};

async function reading(
  change: {
    rules?: Partial<EvmAccountRules>;
    limits?: Partial<EvmClockLimits>;
    lying?: (port: EvmPort) => Partial<EvmPort>;
  } = {},
) {
  const chain = createEvmChain(network);
  chain.give(null, ours, coin);
  chain.give(chain.token, ours, 150_000n);
  const scene = await evmScene({ chain, ...(change.lying === undefined ? {} : { lying: change.lying }) });
  const alerts: string[] = [];
  scene.runtime.onAlert(({ sentence }) => alerts.push(sentence));
  const reader = createEvmReader({
    runtime: scene.runtime,
    tell: () => undefined,
    network,
    rules: () => ({ pegged: chain.token, floor: coin / 10n, ...change.rules }),
    limits: () => ({ ...limits, ...change.limits }),
  });
  await reader.read('asked');
  return { scene, reader, alerts, chain };
}

test('what is free is what the account holds, less what is promised and what is signed away', async () => {
  const { scene, reader, chain } = await reading();
  expect([reader.free(), reader.closed()]).toEqual([150_000n, null]);
  scene.store.reservations.hold('a swap', btc(network, 20_000n));
  expect(reader.free()).toBe(130_000n);
  const id = scene.open([
    scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 50_000n }, { value: sats(1_000_000) }),
  ]);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  await reader.read('asked');
  expect(reader.free()).toBe(80_000n);
});

test('a limit on clocks that withdraws nothing stands beside how many RPCs answer', async () => {
  const { reader } = await reading({
    limits: { tipAge: { seconds: seconds(600), strict: false } },
    lying: (honest) => ({
      tip: async () => {
        const tip = await honest.tip();
        return { ...tip, time: (tip.time - 3_600) as never };
      },
    }),
  });
  expect([reader.closed(), reader.seen()]).toMatchObject([
    null,
    { detail: expect.stringMatching(/^1 of 1 RPCs answer\. The last block of chain \d+ is .* old/) },
  ]);
});

test('a token of more decimals is counted in whole sats, rounded down', async () => {
  const { reader } = await reading({
    lying: () => ({ token: async () => ({ decimals: 12, symbol: 'tBTC', name: 'Bitcoin' }) }),
  });
  expect(reader.free()).toBe(15n);
});

test('the coin of a chain of bitcoin is what is swapped, without what is kept for gas', async () => {
  const { reader } = await reading({ rules: { pegged: asEvmAddress(new Uint8Array(20)) } });
  expect(reader.free()).toBe(90_000_000n);
});

test('with too little for gas nothing new is begun, and the owner is told how much is lacking', async () => {
  const { reader, alerts } = await reading({ rules: { floor: 2n * coin } });
  expect(reader.closed()).toMatchObject({ refusal: 'unavailable' });
  expect(reader.closed()?.sentence).not.toContain('wei');
  expect(alerts).toEqual([expect.stringContaining(`holds ${coin} wei for gas, and ${2n * coin} are kept`)]);
  expect(alerts.map((sentence) => alertName(null, sentence))).toEqual(['evm-closed']);
});

test('RPCs that contradict each other begin nothing', async () => {
  const { reader } = await reading({ lying: () => ({ disagreement: () => 'Two RPCs differ.' }) });
  expect([reader.reason(), reader.closed()?.refusal]).toEqual(['Two RPCs differ.', 'unavailable']);
});

test('fault 49, evm: RPCs silent for a minute are named with what waits, and nothing is closed', async () => {
  let failure: string | null = 'The EVM RPC b.example cannot be asked: it is away.';
  const { reader, scene, alerts, chain } = await reading({
    lying: () => ({
      rpcs: () => [
        { name: 'a.example', own: false, failure: null },
        { name: 'b.example', own: false, failure },
      ],
    }),
  });
  const atOnce = reader.waits();
  chain.mine(60);
  await until(() => reader.waits());
  await reader.read('asked');
  const later = [reader.waits(), reader.closed(), reader.seen()?.state];
  failure = null;
  await reader.read('asked');
  const named = expect.stringMatching(
    /^Swaps above evm\.137\.agreeAboveSats wait, .*b\.example cannot be asked/,
  ) as unknown;
  expect(alerts.map((sentence) => alertName(null, sentence))).toEqual(['evm-rpcs-silent']);
  expect([atOnce, later, alerts, reader.waits()]).toEqual([null, [named, null, 'connected'], [named], null]);
  await scene.stop();
});

test('fault 60, evm: a chain that stands still, or whose clock ran away, begins nothing', async () => {
  const { reader, chain, scene } = await reading();
  const tip = chain.blocks.at(-1)?.time ?? 0;
  const at = async (time: number) => {
    await scene.stop();
    const next = await reading({
      lying: (honest) => ({ tip: async () => ({ ...(await honest.tip()), time: time as never }) }),
    });
    return next.reader.reason();
  };
  expect(reader.reason()).toBeNull();
  expect(await at(tip - 601)).toMatch(/stands still/);
  expect(await at(tip + 901)).toMatch(/ahead of this machine/);
});

test('a chain that does not answer is away, and one that nobody configured is absent', async () => {
  let away = true;
  const { reader } = await reading({
    lying: (honest) => ({
      balance: (...of) => (away ? Promise.reject(evmFailure('evm-away', 'safe', 'away')) : honest.balance(...of)),
    }),
  });
  expect([reader.state(), reader.free()]).toEqual(['away', 0n]);
  away = false;
  await reader.read('asked');
  expect(reader.state()).toBe('connected');
});

test('fault 255, evm: nothing new is begun with the gas that open swaps may need, and the owner is told', async () => {
  const { reader, scene, alerts, chain } = await reading();
  const { contracts } = scene;
  const refund = { on: 'evm', network, contracts, lock: scene.lock(), since: 0 } as const;
  scene.open([], [], { claim: null, refund, shown: false });
  await reader.read('asked');
  expect([reader.closed(), alerts]).toEqual([null, []]);
  chain.setBaseFee(10n ** 13n);
  await reader.read('asked');
  expect(reader.closed()).toMatchObject({ refusal: 'unavailable' });
  expect(alerts.map((sentence) => alertName(null, sentence))).toEqual(['evm-closed']);
});
