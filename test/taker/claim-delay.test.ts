import { expect, test } from 'vitest';
import { asXOnly } from '../../engine/domain/hash.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { wrongClaimDelay, wrongRefundTime } from '../../engine/taker/verify.ts';

const day = 86_528;
const start = unix(1_800_000_000);
const operator = { signer: asXOnly(new Uint8Array(32).fill(1)), exitDelay: seconds(day) };

/** What is said of a VHTLC that its sender may leave so many seconds after we may. */
const judged = (later: number, restored = {}, ours = day) =>
  wrongClaimDelay(
    { unilateral_claim_delay: ours, unilateral_refund_without_receiver_delay: ours + later },
    { policy, operator, ...restored },
  );

test('fault 146: a VHTLC that its sender may leave just after we may is refused, for both would race', () => {
  expect([judged(2 * day), judged(15 * 512), judged(policy.margin)]).toEqual([null, null, null]);
  expect([0, 512, 14 * 512].map((later) => judged(later))).toEqual(
    [0, 512, 14 * 512].map((later) => expect.stringContaining(`could leave the VHTLC ${later} seconds after we can`)),
  );
});

test('one that was agreed on before, and is found again, is judged as it was', () => {
  const restored = { restored: start };
  expect([judged(512, restored), judged(0, restored)]).toEqual([null, expect.any(String)]);
});

test('fault 239: a VHTLC for us is refused that we may claim only after a year without its operator', () => {
  const [year, longest] = [0xffff * 512 - 2 * day, 11 * day];
  expect([judged(2 * day, {}, 3 * day), judged(2 * day, {}, longest)]).toEqual([null, null]);
  expect([12 * day, year].map((ours) => judged(2 * day, {}, ours))).toEqual(
    [12 * day, year].map((ours) => expect.stringContaining(`coins are ours only ${ours} seconds after`)),
  );
  expect(judged(2 * day, { restored: start }, year)).toBeNull();
});

test('fault 147: a VHTLC of ours is refused that takes a year to leave without its operator', () => {
  const of = (alone: number, again = {}) =>
    wrongRefundTime(
      { vhtlc_refund_locktime: start + 86_400, unilateral_refund_without_receiver_delay: alone },
      { policy, operator, ...again },
      { wall: start, bitcoin: { mtp: start, height: 840_000 } },
    );
  expect([of(3 * day), of(11 * day)]).toEqual([null, null]);
  expect([of(12 * day), of(0xffff * 512)]).toEqual([
    expect.stringContaining('without its operator our coins are ours only'),
    expect.stringContaining('without its operator our coins are ours only'),
  ]);
  expect(of(0xffff * 512, { restored: start })).toBeNull();
});
