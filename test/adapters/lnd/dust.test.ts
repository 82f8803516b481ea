import { expect, test } from 'vitest';
import { hold } from '../../../engine/adapters/lnd/holds.ts';
import type { Lnd } from '../../../engine/adapters/lnd/rpc.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { unix } from '../../../engine/domain/time.ts';

/* Parts of a held payment that no commitment carries: what their channel's closing leaves of them is its miner's. */

const hash = asSha256(new Uint8Array(32).fill(1));
const nothing = Buffer.alloc(0);
/** Block 585, its first transaction, output 0. */
const number = String((585n << 40n) | (1n << 16n));
/** 1,108 units of weight at 2,500 sats for a thousand, twice, above dust. */
const least = 354 + 2 * 2_770;

type Change = object | readonly object[];

/** An lnd that holds these parts over one channel; each listing shows the next of several states of it. */
function lndHolding(sats: readonly number[], change: Change = {}): Lnd {
  let listings = 0;
  const changes = Array.isArray(change) ? (change as readonly object[]) : [change];
  const htlcs = sats.map((amount, at) => ({
    ...{ accept_height: 100, accept_time: '1', amt_msat: String(amount * 1_000), chan_id: number },
    ...{ custom_records: {}, expiry_height: 900 + at, htlc_index: String(at + 1) },
    ...{ mpp_total_amt_msat: '0', resolve_time: '0', state: 'ACCEPTED' },
  }));
  const invoice = {
    ...{ creation_date: '1', description_hash: nothing, expiry: '3600', features: {}, htlcs, memo: '' },
    ...{ payment_request: 'lnbcrt1', payment_addr: nothing, r_hash: Buffer.from(hash), r_preimage: nothing },
    ...{ value: '100000', value_msat: '100000000', state: 'ACCEPTED', settle_index: '0', cltv_expiry: '80' },
  };
  const dust = { chan_reserve_sat: '0', dust_limit_sat: '354' };
  const open = {
    ...{ chan_id: number, alias_scids: [], zero_conf: false, zero_conf_confirmed_scid: '0' },
    ...{ commitment_type: 'ANCHORS', initiator: false, fee_per_kw: '2500' },
    ...{ local_constraints: dust, remote_constraints: dust },
  };
  const channels = () => [{ ...open, ...(changes[listings++] ?? changes.at(-1)) }];
  type Answer = (error: null, row: object) => void;
  return {
    lnd: {
      default: {
        lookupInvoice: (_: object, answer: Answer) => answer(null, invoice),
        listChannels: (_: object, __: object, answer: Answer) => answer(null, { channels: channels() }),
      },
    } as never,
    network: 'regtest',
    limit: 1_000,
    now: () => unix(0),
    noteAnswer: () => undefined,
    silent: () => undefined,
    onRenewed: () => () => undefined,
  };
}

async function heldOf(...of: Parameters<typeof lndHolding>) {
  const state = await hold(lndHolding(...of), hash);
  return state.is === 'held' ? [Number(state.amount), state.expiryHeight] : state.is;
}

test('fault 145, lightning: parts that are dust to their channel count for nothing', async () => {
  expect(await heldOf([100_000])).toEqual([100_000, 900]);
  expect(await heldOf(Array.from({ length: 300 }, () => 353))).toEqual([0, 900]);
  expect(await heldOf([353, 50_000, least])).toEqual([50_000 + least, 900]);
});

test('fault 145, lightning: dust is what either side calls so, and what the fee of a claim leaves of it', async () => {
  const larger = { chan_reserve_sat: '0', dust_limit_sat: '1062' };
  expect(await heldOf([least + 707, least + 708], { remote_constraints: larger })).toEqual([least + 708, 900]);
  const ours = { initiator: true, commitment_type: 'STATIC_REMOTE_KEY' };
  expect(await heldOf([least - 1, least], ours)).toEqual([least, 900]);
  expect(await heldOf([353, 354], { ...ours, fee_per_kw: '0' })).toEqual([354, 900]);
  // Of a channel that is listed by other names alone.
  expect(await heldOf([least], { chan_id: '7', alias_scids: [number] })).toEqual([least, 900]);
});

test('fault 252, lightning: a part that costs more on the chain than it may counts for nothing', async () => {
  const low = { fee_per_kw: '253' };
  expect(await heldOf([least - 1, least], low)).toEqual([least, 900]);
  expect(await heldOf([least - 1], { ...low, initiator: true })).toEqual([0, 900]);
  const dear = { initiator: true, fee_per_kw: '25000' };
  expect(await heldOf([55_753, 55_754], dear)).toEqual([55_754, 900]);
  // What a peer calls the rate of a commitment with anchors says nothing of the chain.
  expect(await heldOf([least], { fee_per_kw: '25000' })).toEqual([least, 900]);
});

test('fault 274, lightning: the smallest of the parts that count is told', async () => {
  const smallest = async (amounts: readonly number[]) => {
    const state = await hold(lndHolding(amounts), hash);
    return state.is === 'held' ? Number(state.smallest) : state.is;
  };
  expect([await smallest([50_000, least, 353, 20_000]), await smallest([50_000]), await smallest([353])]).toEqual([
    least,
    50_000,
    0,
  ]);
});

test('fault 252, lightning: over a channel that is not sure nothing counts, however much it is', async () => {
  const early = { zero_conf: true, chan_id: '7', alias_scids: [number] };
  const theirs = { initiator: false, commitment_type: 'LEGACY', fee_per_kw: '253' };
  expect(
    await Promise.all(
      [
        early,
        { ...early, initiator: true },
        { ...early, zero_conf_confirmed_scid: '8' },
        theirs,
        { ...theirs, commitment_type: 'UNKNOWN_COMMITMENT_TYPE' },
        { ...theirs, initiator: true },
        { chan_id: '7' },
      ].map((one) => heldOf([5_000_000], one)),
    ),
  ).toEqual([0, 0, 5_000_000, 0, 0, 5_000_000, 0].map((amount) => [amount, 900]));
});

test('fault 252, lightning: a channel that was not listed yet is looked for once more', async () => {
  expect(await heldOf([5_000_000], [{ chan_id: '7' }, {}])).toEqual([5_000_000, 900]);
  expect(await heldOf([5_000_000], [{ chan_id: '7' }, { zero_conf: true }])).toEqual([0, 900]);
});
