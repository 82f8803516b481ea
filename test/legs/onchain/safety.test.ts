import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix, type Clocks, type ReadClocks } from '../../../engine/domain/time.ts';
import { legsForCoin, legsForLock } from '../../../engine/legs/onchain/timelocks.ts';
import { safeToFundForLock, safeToLockForCoin } from '../../../engine/legs/safety/lock.ts';
import type { Safety } from '../../../engine/legs/safety/verdict.ts';
import { defaultPolicy as policy } from '../../../engine/legs/timeout-policy.ts';

const now = 1_800_000_000;
const network = 'evm:137';
const height = 840_000;

const verdict = (safety: Safety): string => (safety === null ? 'safe' : safety.unsafe);

function clocksAt(mtp: number, evm = now): ReadClocks {
  return { wall: unix(now), bitcoin: { mtp: unix(mtp), height }, [network]: { mtp: unix(evm), height: 1 } };
}

describe('funding an HTLC on the Bitcoin chain against a lock on an EVM chain', () => {
  const legs = legsForLock({ clocks: clocksAt(now - 3_600), network, policy });
  if (isRefusal(legs)) throw new Error(legs.sentence);
  const { timelock, htlcRefundLocktime, lockBefore } = legs;
  const fund = { network, depth: 16, confirmations: 16, timelock, htlcRefundLocktime } as const;
  const judge = (
    change: Partial<typeof fund> | { depth: number | null } = {},
    clocks: Clocks = clocksAt(now - 3_600),
  ) => verdict(safeToFundForLock({ ...fund, ...change }, clocks, policy));

  it('is safe from the creation of the swap on, as deep as is asked, until the client has too little time', () => {
    expect([
      judge(),
      judge({ depth: 17 }),
      judge({}, clocksAt(lockBefore, now + policy.fundingWindow)),
      judge({}, clocksAt(lockBefore + 1, now + policy.fundingWindow)),
    ]).toEqual(['safe', 'safe', 'safe', 'never']);
  });

  it('fault 36, bitcoin: waits for both clocks, the lock and its depth, and for sources that disagree', () => {
    const clocks = clocksAt(now - 3_600);
    const { bitcoin, [network]: evm } = clocks;
    expect([
      judge({}, { ...clocks, bitcoin: { mtp: null, height } }),
      judge({}, { wall: clocks.wall, bitcoin }),
      judge({}, { ...clocks, [network]: { mtp: null, height: null } }),
      judge({ depth: null }),
      judge({ depth: 15 }),
      judge({}, { ...clocks, bitcoin: { ...bitcoin, doubt: 'They differ.' } }),
      judge({}, { ...clocks, [network]: { mtp: unix(now), height: 1, ...evm, doubt: 'They differ.' } }),
    ]).toEqual(Array.from({ length: 7 }, () => 'wait'));
  });

  it('waits where the lock would not outlive our coin by both lags and the margin', () => {
    const locked = htlcRefundLocktime - (now - 3_600) + policy.mtpLag + policy.margin;
    const last = timelock - policy.mtpLag - locked;
    expect([
      judge({}, clocksAt(now - 3_600, last)),
      judge({}, clocksAt(now - 3_600, last + 1)),
      // Seen further on by another source, that is what counts.
      judge(
        {},
        {
          ...clocksAt(now - 3_600),
          [network]: { mtp: unix(now), height: 1, ahead: { mtp: unix(last + 1), height: 2 } },
        },
      ),
      judge({ timelock: unix(timelock - (last - now) - 1) }),
    ]).toEqual(['safe', 'wait', 'wait', 'wait']);
  });
});

describe('locking a VHTLC against a coin on the Bitcoin chain', () => {
  const legs = legsForCoin({ clocks: clocksAt(now - 3_600), policy, confirmations: 1 });
  if (isRefusal(legs)) throw new Error(legs.sentence);
  const lock = {
    coin: { amount: sats(50_000), depth: 1 },
    sourceAmount: sats(50_000),
    confirmations: 1,
    refundLocktime: legs.refundLocktime,
    lockRefundLocktime: legs.vhtlcRefundLocktime,
  };
  const judge = (change: Partial<typeof lock> | { coin: null } = {}, clocks: Clocks = clocksAt(now - 3_600)) =>
    verdict(safeToLockForCoin({ ...lock, ...change }, clocks, policy));

  it('is safe while the coin is there, whole or more, and the client has time to claim', () => {
    expect([
      judge(),
      judge({ coin: { amount: sats(50_001), depth: 1 } }),
      judge({}, clocksAt(legs.lockBefore)),
      judge({}, clocksAt(legs.lockBefore + 1)),
    ]).toEqual(['safe', 'safe', 'safe', 'never']);
  });

  it('waits for the clock, the coin and the sources, and refuses what is short or ends too soon', () => {
    const clocks = clocksAt(now - 3_600);
    expect([
      judge({}, { ...clocks, bitcoin: { mtp: null, height } }),
      judge({ coin: null }),
      judge({}, { ...clocks, bitcoin: { ...clocks.bitcoin, doubt: 'They differ.' } }),
      judge({ coin: { amount: sats(49_999), depth: 1 } }),
      judge({ refundLocktime: unix(legs.vhtlcRefundLocktime + policy.margin) }),
      judge({ refundLocktime: unix(legs.vhtlcRefundLocktime + policy.margin - 1) }),
    ]).toEqual(['wait', 'wait', 'wait', 'never', 'safe', 'never']);
  });

  it('fault 70, bitcoin: waits for as many confirmations as were agreed', () => {
    const at = (depth: number) => judge({ coin: { amount: sats(50_000), depth }, confirmations: 3 });
    expect([1, 2, 3, 4].map(at)).toEqual(['wait', 'wait', 'safe', 'safe']);
  });
});
