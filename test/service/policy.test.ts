import { expect, test } from 'vitest';
import { readConfig } from '../../engine/config.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { unix } from '../../engine/domain/time.ts';
import { holdLeg } from '../../engine/legs/timelocks.ts';
import { policyOf } from '../../engine/service/policy.ts';
import { timingOfMinedBlocks } from '../../main/settings.ts';

/** lnd's own limit on the timeout of a payment that it sends. */
const mostBlocks = 2_016;

test('where blocks come every ten seconds, a held payment outlives the VHTLC and a payer still accepts its timeout', () => {
  const config = readConfig({ flags: { sandbox: true, timing: timingOfMinedBlocks }, environment: {}, file: null, stored: null });
  if (isRefusal(config)) throw new Error(config.sentence);
  const leg = holdLeg({ now: unix(1_800_000_000), policy: policyOf(config) });
  const heldSeconds = leg.minHoldBlocks * timingOfMinedBlocks.fastBlockSeconds;
  expect(heldSeconds).toBeGreaterThan(leg.vhtlcRefundLocktime - 1_800_000_000 + timingOfMinedBlocks.medianTimeLagSeconds);
  expect(leg.cltvDelta).toBeLessThan(mostBlocks - 100);
});
