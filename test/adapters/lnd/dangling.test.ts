import { expect, test } from 'vitest';
import { dangles } from '../../../engine/adapters/lnd/dangling.ts';
import type { Channel } from '../../../engine/adapters/lnd/channel.ts';
import type { Lnd } from '../../../engine/adapters/lnd/rpc.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { unix } from '../../../engine/domain/time.ts';

const hash = asSha256(new Uint8Array(32).fill(1));
const timeout = 1_490;
const attempt = { status: 'IN_FLIGHT', route: { total_time_lock: timeout, hops: [{ chan_id: '7' }] } };
const open = { chan_id: '7', alias_scids: [], zero_conf_confirmed_scid: '0', pending_htlcs: [] };

/** Answers as lnd 0.20.2 does, of what is asked here. */
function lndAt(
  height: number,
  channels: readonly (Pick<Channel, 'chan_id' | 'alias_scids' | 'zero_conf_confirmed_scid'> & {
    pending_htlcs: readonly Pick<Channel['pending_htlcs'][number], 'hash_lock'>[];
  })[],
): Lnd {
  const info = { block_height: height, best_header_timestamp: '1', chains: [{ network: 'regtest' }] };
  const rpc = {
    getInfo: (_: object, __: object, answer: (error: null, row: object) => void) => answer(null, info),
    listChannels: (_: object, __: object, answer: (error: null, row: object) => void) => answer(null, { channels }),
  };
  return {
    lnd: { default: rpc } as never,
    network: 'regtest',
    limit: 1_000,
    now: () => unix(0),
    noteAnswer: () => undefined,
    silent: () => undefined,
    onRenewed: () => () => undefined,
  };
}

const longPast = timeout + 145;

test('fault 23: lnd waits for an HTLC that no channel holds, 144 blocks after its timeout', async () => {
  expect(await dangles(lndAt(longPast, [open]), [attempt], hash)).toBe(true);
});

test.each([
  ['144 blocks after it timed out', longPast - 1, [open], [attempt]],
  ['in its channel', longPast, [{ ...open, pending_htlcs: [{ hash_lock: Buffer.from(hash) }] }], [attempt]],
  ['in a channel that is open no more', longPast, [], [attempt]],
  ['without a route', longPast, [open], [{ status: 'IN_FLIGHT' }]],
  ['no attempt at all', longPast, [open], []],
  [
    'beside one that has time',
    longPast,
    [open],
    [attempt, { ...attempt, route: { ...attempt.route, total_time_lock: 2_000 } }],
  ],
])('fault 23: an attempt may still leave or be paid: %s', async (_, height, channels, attempts) => {
  expect(await dangles(lndAt(height, channels), attempts, hash)).toBe(false);
});

test('fault 253, lightning: a channel that an attempt knows by another name of it is the same channel', async () => {
  const names = [
    { ...open, chan_id: '8', alias_scids: ['7'] },
    { ...open, chan_id: '8', zero_conf_confirmed_scid: '7' },
  ];
  const full = { pending_htlcs: [{ hash_lock: Buffer.from(hash) }] };
  const looks = names.map((one) => dangles(lndAt(longPast, [one]), [attempt], hash));
  const fullLooks = names.map((one) => dangles(lndAt(longPast, [{ ...one, ...full }]), [attempt], hash));
  expect(await Promise.all([...looks, ...fullLooks])).toEqual([true, true, false, false]);
});
