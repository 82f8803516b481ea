import { expect, test } from 'vitest';
import { readConfig, type Config } from '../../engine/config.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { minute, seconds, unix } from '../../engine/domain/time.ts';
import { judgeClocks, plausibleWall, type ChainTime } from '../../engine/legs/clock-limits.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import { holdLeg, stopLine } from '../../engine/legs/lightning/timelocks.ts';
import { clockLimitsOf, evmClockLimitsOf, policyOf } from '../../engine/config/policy.ts';

const now = unix(1_800_000_000);

test('in the sandbox too a held payment outlives the VHTLC, with fifty quick blocks beside the usual ones', () => {
  const policy = policyOf(configOf({}));
  const leg = holdLeg({ clocks: { wall: now, bitcoin: { mtp: now, height: 100 } }, policy });
  if (isRefusal(leg)) throw new Error(leg.sentence);
  const quick = 50;
  const usual = Math.ceil((leg.vhtlcRefundLocktime + hour - now) / 600);
  expect(100 + quick + usual).toBeLessThan(stopLine(100 + leg.cltvDelta, policy));
  expect(policy).toEqual(defaultPolicy);
});

function configOf(content: Record<string, unknown>): Config {
  const config = readConfig({
    flags: {},
    environment: {},
    file: { name: 'test', content },
    stored: null,
  });
  if (isRefusal(config)) throw new Error(config.sentence);
  return config;
}

const connected = { arkade: { url: 'http://127.0.0.1:7070' } };
const hour = 60 * minute;

/** What becomes of new swaps with these clocks: nothing, a warning, or the pairs are withdrawn. */
function verdict(config: Config, wall: number, chain: { mtp: number; time?: number }): string {
  const time: ChainTime = { mtp: unix(now + chain.mtp), time: unix(now + (chain.time ?? chain.mtp + hour)) };
  const { beyond } = judgeClocks(now + wall, time, clockLimitsOf(config));
  return beyond === null ? 'fine' : beyond.strict ? 'withdrawn' : 'warned';
}

test('the lag that the guard allows is the one that the margins hold, and the legs must hold it', () => {
  const mainnet = configOf({ network: 'mainnet', ...connected });
  expect([policyOf(mainnet).mtpLag, clockLimitsOf(mainnet).lag.seconds]).toEqual([3 * hour, 3 * hour]);
  expect([policyOf(mainnet).bitcoinStillAfter, policyOf(mainnet).evmStillAfter]).toEqual([3 * hour, 10 * minute]);
  const long = { network: 'mainnet', ...connected, timing: { medianTimeLagSeconds: 11 * hour } };
  expect(() => configOf(long)).toThrow(
    /must hold the funding window \(timing\.\w+, 1800 s\), the lag of median time past \(timing\.\w+, 39600 s\)/,
  );
  expect(policyOf(configOf({ network: 'regtest', ...connected, timing: { serviceLegSeconds: 5_400 } })).mtpLag).toBe(
    seconds(1_350),
  );
});

test('where money is real, a stale chain, a stale tip or a slow wall withdraws the pairs of Bitcoin', () => {
  for (const network of ['mainnet', 'signet'] as const) {
    const config = configOf({ network, ...connected });
    expect([
      verdict(config, 0, { mtp: -3 * hour, time: -2 * hour }),
      verdict(config, 0, { mtp: -3 * hour - 1, time: -2 * hour }),
      verdict(config, 0, { mtp: -3 * hour, time: -3 * hour }),
      verdict({ ...config, timing: { ...config.timing, maxTipAgeSeconds: { bitcoin: hour, evm: 1 } } }, 0, {
        mtp: -2 * hour,
        time: -hour - 1,
      }),
      verdict(config, 0, { mtp: 15 * minute }),
      verdict(config, 0, { mtp: 15 * minute + 1 }),
      verdict(config, 0, { mtp: -hour, time: 90 * minute }),
    ]).toEqual(['fine', 'withdrawn', 'fine', 'withdrawn', 'fine', 'withdrawn', 'fine']);
  }
});

test('a regtest or sandbox node is only warned of a chain without blocks, unless its owner set a limit', () => {
  const plain = [configOf({ network: 'regtest', ...connected }), configOf({})];
  for (const config of plain)
    expect([
      verdict(config, 0, { mtp: -5 * 24 * hour }),
      verdict(config, 0, { mtp: 90 * minute }),
      verdict(config, 0, { mtp: 2 * hour + 1 }),
    ]).toEqual(['warned', 'fine', 'withdrawn']);
  expect(
    verdict(configOf({ network: 'regtest', ...connected, timing: { medianTimeLagSeconds: 600 } }), 0, {
      mtp: -601,
      time: 0,
    }),
  ).toBe('withdrawn');
  expect(verdict(configOf({ timing: { maxTipAgeSeconds: { bitcoin: 600 } } }), 0, { mtp: -601, time: -601 })).toBe(
    'withdrawn',
  );
});

test('on regtest the limit of each chain on the age of its tip is one of its own', () => {
  const strict = (maxTipAgeSeconds: { bitcoin?: number; evm?: number }) => {
    const config = configOf({ network: 'regtest', ...connected, timing: { maxTipAgeSeconds } });
    const { bitcoinStillAfter, evmStillAfter } = policyOf(config);
    return [clockLimitsOf(config).tipAge.strict, evmClockLimitsOf(config).tipAge, bitcoinStillAfter, evmStillAfter];
  };
  expect([strict({ evm: 60 }), strict({ bitcoin: 60 })]).toEqual([
    [false, { seconds: 60, strict: true }, undefined, 60],
    [true, { seconds: 600, strict: false }, undefined, undefined],
  ]);
});

test('by a wrong wall coins are judged as late or as early as the chain leaves possible', () => {
  const chain = (wall: number) => ({ wall: unix(now + wall), bitcoin: { mtp: now, height: 900_000 } });
  const judged = (config: Config) =>
    [-400 * 24 * hour, -10 * minute, hour, 400 * 24 * hour].map(
      (wall) => plausibleWall(chain(wall), clockLimitsOf(config)) - now,
    );
  expect(judged(configOf({ network: 'mainnet', ...connected }))).toEqual([-15 * minute, -10 * minute, hour, 3 * hour]);
  expect(judged(configOf({ network: 'regtest', ...connected }))).toEqual([
    -120 * minute,
    -10 * minute,
    hour,
    400 * 24 * hour,
  ]);
  expect(plausibleWall({ wall: now, bitcoin: { mtp: null, height: null } }, clockLimitsOf(configOf({})))).toBe(now);
});
