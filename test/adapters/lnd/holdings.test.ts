import { describe, expect, test } from 'vitest';
import { holdingsOf } from '../../../engine/adapters/lnd/holdings.ts';
import type { Channel } from '../../../engine/adapters/lnd/channel.ts';

/** A channel between two lnds 0.20.2 on regtest, opened by ours, of which both sides hold half a satoshi or so. */
const channel = {
  channel_point: `${'ab'.repeat(32)}:0`,
  chan_id: '1543691186110464',
  alias_scids: [],
  zero_conf: false,
  zero_conf_confirmed_scid: '0',
  num_updates: '12',
  active: true,
  initiator: true,
  capacity: '10000000',
  local_balance: '4997776',
  remote_balance: '5001001',
  unsettled_balance: '0',
  commit_fee: '563',
  fee_per_kw: '500',
  commitment_type: 'ANCHORS',
  pending_htlcs: [],
  local_constraints: { chan_reserve_sat: '100000' },
  remote_constraints: { chan_reserve_sat: '100000' },
} satisfies Channel;
const htlc = (amount: string, incoming = false, forwarding = '0') => ({
  ...{ hash_lock: new Uint8Array(32).fill(Number(amount) % 251), incoming, amount },
  forwarding_channel: forwarding,
});
const balance = (local: bigint, offered = 0n) => ({
  local_balance: { msat: String(local) },
  unsettled_remote_balance: { msat: String(offered) },
});
const ours = (channels: readonly Channel[], local: bigint, offered = 0n): bigint =>
  holdingsOf(channels, balance(local, offered)).ours;

describe('what is ours in a channel that we opened', () => {
  const still = ours([channel], 4_997_776_500n);

  test('is our side and the fee of the commitment, without what was rounded off', () => {
    expect(still).toBe(4_997_776_500n + 562_000n);
  });

  test.each([
    ['an HTLC that we offer, which costs 86 sats more', htlc('30001'), -86_000n, 30_001_030n],
    ['one that comes in', htlc('30001', true), -86_000n, 0n],
    ['dust, which costs nothing and is left to the miner', htlc('100'), 0n, 100_400n],
  ])('stays to the millisatoshi with %s', (_, pending, feeMsat, offered) => {
    const local = 4_997_776_500n - offered + feeMsat;
    const remote = pending.incoming ? 5_001_001n - 30_002n : 5_001_001n;
    const locked = {
      ...channel,
      local_balance: String(local / 1_000n),
      remote_balance: String(remote),
      pending_htlcs: [pending],
    };
    expect(ours([locked], local, offered)).toBe(still);
  });

  test('stays when the fee rate moves', () => {
    const local = 4_997_776_500n - 562_000n;
    expect(ours([{ ...channel, fee_per_kw: '1000', local_balance: String(local / 1_000n) }], local)).toBe(still);
  });

  test('cannot be told of a form that nobody knows, or of amounts that do not fit', () => {
    expect(() => ours([{ ...channel, commitment_type: 'NEW' }], 1n)).toThrow('cannot be told now');
    expect(() => ours([{ ...channel, remote_balance: '5000999' }], 1n)).toThrow('cannot be told now');
  });
});

test('of a channel that was opened to us only our side counts, and every name of a channel is told', () => {
  const theirs = {
    ...channel,
    initiator: false,
    alias_scids: ['16000000'],
    zero_conf_confirmed_scid: '77',
    pending_htlcs: [htlc('5', true, '99')],
  };
  const held = holdingsOf([theirs], balance(7_001n));
  expect([held.ours, held.channels, held.htlcs[0]]).toEqual([
    7_001n,
    [channel.chan_id, '16000000', '77'],
    expect.objectContaining({ amount: 5n, incoming: true, forwarded: true }),
  ]);
});
