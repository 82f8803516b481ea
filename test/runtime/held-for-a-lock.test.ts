import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { HoldState } from '../../engine/legs/lightning/port.ts';
import { forbidden } from '../../engine/runtime/networks/only-if.ts';
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
const held: HoldState = { is: 'held', amount: t.sourceAmount, expiryHeight: startHeight + t.cltvDelta };

/** Why a lock on an EVM chain may not be sent, as the Lightning node answers; null where it may. */
async function refusal(hold: HoldState, height = startHeight, at = now): Promise<string | null> {
  const lightning = { hold: async () => hold, info: async () => ({ height }) };
  const ports = { lightning } as unknown as Ports;
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
