import { expect, test } from 'vitest';
import type { Channel } from '../../../engine/adapters/lnd/channel.ts';
import { fundsOf } from '../../../engine/adapters/lnd/closing.ts';

const hash = new Uint8Array(32).fill(7);
const htlc = (amount: string) => ({ hash_lock: hash, incoming: true, amount, forwarding_channel: '0' });
const channel = (...amounts: readonly string[]) =>
  ({ initiator: true, pending_htlcs: amounts.map(htlc) }) as unknown as Channel;

test('fault 336, lightning: coins of an account that lnd closes no channel with are none', () => {
  const imported = { confirmed_balance: '90000' };
  expect(fundsOf([], { confirmed_balance: '100000' }).coins).toBe(100_000n);
  const balance = {
    confirmed_balance: '100000',
    account_balance: { default: { confirmed_balance: '10000' }, imported },
  };
  expect(fundsOf([channel(), channel('700', '5000')], balance)).toEqual({
    coins: 10_000n,
    channels: 1,
    htlcs: [700n, 5_000n],
    hashes: [hash, hash],
    theirs: [],
  });
});

test('fault 336, lightning: channels that peers opened are told with what their commitments pay', () => {
  const theirs = (perKw: number, change: object, ...amounts: readonly string[]): Channel => ({
    ...channel(...amounts),
    ...{ initiator: false, fee_per_kw: String(perKw), active: true, local_balance: '1000' },
    ...{ local_constraints: { chan_reserve_sat: '1000' }, ...change },
  });
  const channels = [
    channel('700'),
    theirs(253, {}, '700'),
    theirs(500, { active: false }, '700', '800'),
    theirs(253, {}),
  ];
  expect(fundsOf(channels, { confirmed_balance: '0' }).theirs).toEqual([
    { perKw: 253, hashes: [hash] },
    { perKw: 500, hashes: [hash, hash] },
  ]);
});
