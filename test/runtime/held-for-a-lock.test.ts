import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { HoldState } from '../../engine/legs/lightning/port.ts';
import { forbidden } from '../../engine/runtime/networks/only-if.ts';
import { stillWanted } from '../../engine/runtime/networks/still-wanted.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { clocksOn, network } from '../swap/arkade-evm-cases.ts';
import { start, startHeight } from '../swap/cases.ts';
import { lightningEvmTerms as t } from '../swap/lightning-evm-cases.ts';
import { noClaims } from './support.ts';

const now = clocksOn(start + 60);
const onlyIf = {
  notAfter: t.lockBefore,
  hold: {
    hash: t.hash,
    sourceAmount: t.sourceAmount,
    network,
    timelock: unix(Number(t.lock.timelock)),
    policy: t.policy,
  },
};
const held: HoldState = {
  is: 'held',
  amount: t.sourceAmount,
  smallest: t.sourceAmount,
  expiryHeight: startHeight + t.cltvDelta,
};

/** Why a lock on an EVM chain may not be sent, as the Lightning node answers; null where it may. */
async function refusal(
  hold: HoldState,
  height = startHeight,
  at: Clocks = now,
  synced = true,
  rate = 2,
  coins = 10_000_000n,
): Promise<string | null> {
  const closingFunds = async () => ({ coins, channels: 1, htlcs: [sats(100_000)], hashes: [], theirs: [] });
  const lightning = { hold: async () => hold, info: async () => ({ height, synced }), closingFunds };
  const ports = { lightning, bitcoin: { feeRate: async () => rate } } as unknown as Ports;
  return forbidden(onlyIf, 0, { ports, clock: { now: () => at }, ...noClaims });
}

test('a lock is sent for a payment that is held, whole and for long enough, and for no other', async () => {
  const states: HoldState[] = [
    held,
    { ...held, amount: sats(t.sourceAmount - 1n) },
    { ...held, expiryHeight: startHeight + 40 },
    { is: 'cancelled' },
    { is: 'settled' },
    { is: 'absent' },
    { is: 'open' },
  ];
  const answers = await Promise.all(states.map((state) => refusal(state)));
  expect(answers.map((answer) => answer === null)).toEqual([true, ...Array.from({ length: 6 }, () => false)]);
});

test('fault 36: blocks count as the Lightning node counts them, should the source of blocks be behind', async () => {
  expect([await refusal(held, startHeight + t.policy.reactionBlocks), await refusal(held, startHeight + 40)]).toEqual([
    null,
    expect.stringMatching(/^The held payment is sure for/),
  ]);
});

test('fault 274, lightning: nothing is given while a part costs too much to claim by what blocks ask for', async () => {
  const at = (rate: number, part: number) => refusal({ ...held, smallest: sats(part) }, startHeight, now, true, rate);
  expect([await at(5, 3_870), await at(50, 27_700), await at(500, 277_000)]).toEqual([null, null, null]);
  await expect(at(50, 3_870)).rejects.toThrow(
    'A part of the held payment is 3870 sats; below 27700 it is not worth claiming from a channel now.',
  );
  await expect(at(50, 27_699)).rejects.toThrow(/not worth claiming/);
  // No rate is believed that is higher.
  await expect(at(100_000, 276_999)).rejects.toThrow(/not worth claiming/);
});

test('fault 336, lightning: nothing is given while its node has no coins to claim the payment with', async () => {
  const at = (coins: bigint, rate: number) => refusal(held, startHeight, now, true, rate, coins);
  // One channel with one payment, and as much again for another.
  const cost = (rate: number) => 2n * BigInt(2 * Math.ceil(rate * 462) + 2 * Math.ceil(rate * 320));
  expect([await at(cost(2), 2), await at(cost(20), 20)]).toEqual([null, null]);
  await expect(at(cost(20) - 1n, 20)).rejects.toThrow(/send at least 1 sats to an address of it/);
  await expect(at(0n, 1)).rejects.toThrow(/own wallet on the chain has 0 sats in blocks/);
});

test('it is late by the clock of its own chain, whatever Bitcoin and the wall say', async () => {
  const late = { ...now, [network]: { mtp: unix(t.lockBefore + 1), height: 1_000 } };
  const wallAhead = { ...now, wall: unix(t.lockBefore + 1) };
  expect([await refusal(held, startHeight, late), await refusal(held, startHeight, wallAhead)]).toEqual([
    'Too little time was left.',
    null,
  ]);
});

test('while that clock is unread nothing is sent, and it is asked again', async () => {
  await expect(refusal(held, startHeight, clocksOn(start + 60, null))).rejects.toThrow(/has not been read/);
});

test('fault 251, lightning: nothing is given for a payment while its node does not follow the chain', async () => {
  const behind = { code: 'lightning-behind', retry: 'safe' };
  await expect(refusal(held, startHeight, now, false)).rejects.toMatchObject(behind);
  await expect(refusal(held, startHeight - 2)).rejects.toMatchObject(behind);
  expect(await refusal(held, startHeight - 1)).toBeNull();
  // The furthest of all readings counts, should the source of blocks be behind as well.
  const ahead = { ...now, bitcoin: { ...now.bitcoin, ahead: { mtp: now.bitcoin.mtp, height: startHeight + 2 } } };
  await expect(refusal(held, startHeight, ahead)).rejects.toMatchObject(behind);
  expect(await refusal({ is: 'cancelled' }, startHeight, now, false)).toContain('not held any more but cancelled');
});

test('fault 251, lightning: a lock that was accepted long ago is finished by a node in step alone', async () => {
  async function finished(synced: boolean, height: number): Promise<string> {
    const lightning = { hold: async () => held, info: async () => ({ height, synced }) };
    const asks = { ports: { lightning } as unknown as Ports, clock: { now: () => now }, ...noClaims };
    const payment = { hash: t.hash, sourceAmount: t.sourceAmount, vhtlcRefundLocktime: unix(start), policy: t.policy };
    return stillWanted({ notAfter: unix(0), held: payment }, asks).then(
      () => 'finished',
      ({ code }: { code: string }) => code,
    );
  }
  expect([await finished(true, startHeight), await finished(false, startHeight), await finished(true, 1)]).toEqual([
    'finished',
    'lightning-behind',
    'lightning-behind',
  ]);
});
