import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { wrongClaimDelay } from '../../engine/taker/verify.ts';

const day = 86_528;

/** What is said of a VHTLC that its sender may leave so many seconds after we may. */
const judged = (later: number, restored = {}) =>
  wrongClaimDelay(
    { unilateral_claim_delay: day, unilateral_refund_without_receiver_delay: day + later },
    { policy, ...restored },
  );

test('fault 140: a VHTLC that its sender may leave just after we may is refused, for both would race', () => {
  expect([judged(2 * day), judged(15 * 512), judged(policy.margin)]).toEqual([null, null, null]);
  expect([0, 512, 14 * 512].map((later) => judged(later))).toEqual(
    [0, 512, 14 * 512].map((later) => expect.stringContaining(`could leave the VHTLC ${later} seconds after we can`)),
  );
});

test('one that was agreed on before, and is found again, is judged as it was', () => {
  const restored = { restored: unix(1_800_000_000) };
  expect([judged(512, restored), judged(0, restored)]).toEqual([null, expect.any(String)]);
});
