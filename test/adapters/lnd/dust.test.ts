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

function lndHolding(sats: readonly number[], channel: object = {}): Lnd {
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
    ...{ chan_id: number, alias_scids: [], zero_conf_confirmed_scid: '0', commitment_type: 'ANCHORS' },
    ...{ fee_per_kw: '2500', local_constraints: dust, remote_constraints: dust, ...channel },
  };
  type Answer = (error: null, row: object) => void;
  return {
    lnd: {
      default: {
        lookupInvoice: (_: object, answer: Answer) => answer(null, invoice),
        listChannels: (_: object, __: object, answer: Answer) => answer(null, { channels: [open] }),
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
  expect(await heldOf([353, 50_000, 354])).toEqual([50_354, 900]);
});

test('fault 145, lightning: dust is what either side calls so, and what the fee of a claim leaves of it', async () => {
  const larger = { chan_reserve_sat: '0', dust_limit_sat: '1062' };
  expect(await heldOf([1_061, 1_062], { remote_constraints: larger })).toEqual([1_062, 900]);
  // 703 units of weight at 2,500 sats for a thousand.
  expect(await heldOf([2_110, 2_112], { commitment_type: 'STATIC_REMOTE_KEY' })).toEqual([2_112, 900]);
  // Of a channel that is listed by other names alone.
  expect(await heldOf([353, 354], { chan_id: '7', alias_scids: [number] })).toEqual([354, 900]);
});
