import { expect, test } from 'vitest';
import type { Channel } from '../../../engine/adapters/lnd/channel.ts';
import { liquidityOf } from '../../../engine/adapters/lnd/node.ts';

/** A channel between two lnds 0.20.2 on regtest, opened by ours. */
const channel: Channel = {
  chan_id: '1543691186110464',
  channel_point: `${'ab'.repeat(32)}:0`,
  alias_scids: [],
  zero_conf: false,
  zero_conf_confirmed_scid: '0',
  num_updates: '12',
  commit_fee: '563',
  commitment_type: 'ANCHORS',
  capacity: '10000000',
  pending_htlcs: [],
  active: true,
  initiator: true,
  local_balance: '4997776',
  remote_balance: '5001001',
  unsettled_balance: '0',
  fee_per_kw: '500',
  local_constraints: { chan_reserve_sat: '100000' },
  remote_constraints: { chan_reserve_sat: '100000' },
};

test('what can be sent leaves out what lnd keeps for fees, to the satoshi', () => {
  expect(liquidityOf([channel])).toEqual({
    outbound: 4_896_870n,
    inbound: 4_901_001n,
    pending: 0n,
    leastHeld: 5_894n,
  });
});

test('the buffer is on the side that opened the channel', () => {
  expect(liquidityOf([{ ...channel, initiator: false }])).toEqual({
    outbound: 4_897_776n,
    inbound: 4_900_095n,
    pending: 0n,
    leastHeld: 5_894n,
  });
});

test('a channel whose peer is away carries nothing and still holds what is pending', () => {
  const [inactive, drained] = [
    { ...channel, active: false, unsettled_balance: '70' },
    { ...channel, local_balance: '99000', remote_balance: '1' },
  ];
  expect(liquidityOf([inactive, drained])).toEqual({ outbound: 0n, inbound: 0n, pending: 70n, leastHeld: 5_894n });
});

test('fault 252, lightning: what would count for nothing at the lock is no room, and sets no least', () => {
  const early = { ...channel, zero_conf: true };
  const theirs = { ...channel, initiator: false, commitment_type: 'STATIC_REMOTE_KEY', fee_per_kw: '50000' };
  const [none, all] = [liquidityOf([early, theirs]), liquidityOf([early, theirs, channel])];
  expect([none.inbound, none.leastHeld, all.inbound, all.leastHeld]).toEqual([0n, 0n, 4_901_001n, 5_894n]);
  const dear = { ...channel, local_constraints: { chan_reserve_sat: '0', dust_limit_sat: '1062' } };
  expect(liquidityOf([channel, dear, { ...dear, active: false, fee_per_kw: '90000' }]).leastHeld).toBe(6_602n);
});

test('fault 338, lightning: what no HTLC can be added for is no room, in its direction', () => {
  const htlc = { hash_lock: new Uint8Array(32), amount: '1000', forwarding_channel: '0' };
  const of = (outgoing: number, incoming: number, most?: number) => {
    const all = [
      ...Array.from({ length: outgoing }, () => ({ ...htlc, incoming: false })),
      ...Array.from({ length: incoming }, () => ({ ...htlc, incoming: true })),
    ];
    const bound = most === undefined ? {} : { max_accepted_htlcs: most };
    const constraints = { chan_reserve_sat: '100000', ...bound };
    const full = { ...channel, pending_htlcs: all, local_constraints: constraints };
    const { outbound, inbound } = liquidityOf([full]);
    return [outbound > 0n, inbound > 0n];
  };
  expect([of(482, 482), of(483, 0), of(0, 483), of(29, 31, 30), of(30, 31, 30)]).toEqual([
    [true, true],
    [false, true],
    [true, false],
    [true, true],
    [false, true],
  ]);
  // Another channel has what it has.
  const full = { ...channel, pending_htlcs: Array.from({ length: 483 }, () => ({ ...htlc, incoming: false })) };
  expect(liquidityOf([full, channel]).outbound).toBe(liquidityOf([channel]).outbound);
});
