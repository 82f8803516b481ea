import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import places from '../../resources/sandbox/evm-places.json' with { type: 'json' };
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { arkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats, type Sats } from '../../engine/domain/money.ts';
import { leastOut } from '../../engine/domain/slippage.ts';
import { seconds, type Clocks } from '../../engine/domain/time.ts';
import { evmTime } from '../../engine/legs/evm/timelocks.ts';
import type { TakeArkadeEvmTerms } from './taken.ts';
import { takenArkadeEvm } from '../../engine/taker/directions/arkade-evm.ts';
import { fundingWindow } from '../../engine/taker/window.ts';
import { evmOffer, type EvmOffer } from './evm-record.ts';
import {
  addedOnEvm,
  freeEverywhere,
  mutations,
  passing,
  renamed,
  unmissed,
  type Free,
  type Json,
} from './mutations.ts';

/*
 * The record of a real provider with every field changed: what may say anything is listed with its reason, all else is
 * refused.
 */

const usdc =
  places[137].tokens
    .find(({ symbol }) => symbol === 'USDC')
    ?.address.slice(2)
    .toLowerCase() ?? '';

/* What the lock holds is wanted, or a token that an exchange makes of it. */
describe.each([
  ['the token of the lock', null],
  ['a token of the exchange', asEvmAddress(fromHex(usdc))],
] as const)('%s', (_, token) => {
  let offer: EvmOffer<TakeArkadeEvmTerms>;

  beforeAll(async () => {
    const destination = asEvmAddress(new Uint8Array(20).fill(0x11));
    offer = await evmOffer(() => ({
      direction: 'arkade-evm',
      amount: sats(50_000),
      invoice: null,
      evm: { chainId: 137, token, destination, gasless: true },
    }));
  });

  afterAll(() => offer.stop());

  const judge = (record: unknown) => takenArkadeEvm.verify(record, offer.terms, offer.now, decodeInvoice);
  const isAccepted = (change: Json): boolean => !isRefusal(judge({ ...offer.record, ...change }));

  test('an address in letters of another case is the same address', () => {
    const record = offer.record as Json & { target_token: { token_id: string } };
    const { token_id } = record.target_token;
    const written = (text: string): Json => ({ target_token: { ...record.target_token, token_id: text } });
    const cases = [token_id.toLowerCase(), `0x${token_id.slice(2).toUpperCase()}`];
    expect(cases.map((text) => isAccepted(written(text)))).toEqual([true, true]);
    expect(isAccepted(written(token_id.replace(/.$/, (digit) => (digit === '1' ? '2' : '1'))))).toBe(false);
  });

  /** What may say something else, and why that costs nobody anything. */
  const bounded = ['server_evm_address', 'evm_refund_locktime', ...(token === null ? [] : ['target_amount'])];
  const freeHere = (): readonly Free[] => [
    ...freeEverywhere,
    {
      field: 'server_evm_address',
      value: `0x${'77'.repeat(20)}`,
      why: 'whoever locks is refunded: only a lock that names this very account is claimed',
    },
    ...[1, -512].map((by) => ({
      field: 'evm_refund_locktime',
      value: Number(offer.record['evm_refund_locktime']) + by,
      why: 'within its bounds it is for the provider to say: only a lock with this very timelock is claimed',
    })),
  ];
  const added: Json = {
    ...addedOnEvm,
    bridge_target_chain: 'Base',
    bridge_target_token_address: `0x${'ab'.repeat(20)}`,
  };
  const fields = Object.keys(arkadeEvmRecord.shape);

  test('an honest record is accepted', () => {
    expect(judge(offer.record)).toMatchObject({ target: { on: 'evm', network: 'evm:137' } });
  });

  test('a record is refused for every field that is changed', () => {
    const changes = mutations(
      offer.record,
      fields.filter((field) => !bounded.includes(field)),
      added,
    );
    expect([passing(judge, offer.record, changes), changes.length > 150]).toEqual([[], true]);
  });

  test('a record is refused for every field that is missing', () => {
    expect(unmissed(judge, offer.record, fields, added)).toEqual([]);
  });

  test('it may say anything only where a reason is written down, and there not everything', () => {
    const { record, now } = offer;
    const free = [...freeHere(), ...renamed(record)];
    const own = String(record['client_evm_address']);
    const wrong: Json[] = [
      { server_evm_address: `0x${'00'.repeat(20)}` },
      { server_evm_address: own },
      { server_evm_address: record['evm_coordinator_address'] },
      { evm_refund_locktime: now.wall + 60 },
      { evm_refund_locktime: Number(record['vhtlc_refund_locktime']) },
      { id: '' },
      { id: 'x'.repeat(101) },
    ];
    expect([passing(judge, record, free), wrong.filter(isAccepted)]).toEqual([free, []]);
  });

  test('nothing is accepted for less than was agreed, or while the chain of the lock cannot be read', () => {
    const { record, terms, now } = offer;
    const refuses = (change: Partial<TakeArkadeEvmTerms>, at: Clocks = now) =>
      isRefusal(takenArkadeEvm.verify(record, { ...terms, ...change }, at, decodeInvoice));
    const { exchange } = terms;
    /** More has to arrive, or less may be kept. */
    const dearer = (more: bigint, less: Sats): Partial<TakeArkadeEvmTerms> =>
      exchange === undefined
        ? {}
        : { exchange: { ...exchange, least: reach + more, mostFees: sats(exchange.mostFees - less) } };
    const reach = leastOut(BigInt(String(record['target_amount'])), exchange?.slippageBps ?? 0);
    const { 'evm:137': _unread, ...unread } = now as Clocks & { 'evm:137': unknown };
    expect([
      refuses(token === null ? { targetAmount: terms.targetAmount + 1n } : dearer(1n, sats(0))),
      refuses({ sourceAmount: sats(terms.sourceAmount - 1n) }),
      refuses({ pairs: [] }),
      refuses({}, unread as Clocks),
      token !== null &&
        !(refuses(dearer(0n, sats(1))) && refuses({ policy: { ...terms.policy, margin: seconds(40_000) } })),
    ]).toEqual([true, true, true, true, false]);
  });

  test('fault 302, evm: its lock must leave us the time to claim, however late in the window we pay', () => {
    const { terms, now } = offer;
    const { policy } = terms;
    const window = fundingWindow(terms).over - now.wall;
    const margin = terms.exchange === undefined ? 0 : policy.margin;
    const least = (evmTime(now, 'evm:137') ?? NaN) + policy.leastClaimTime + window + margin;
    const endsAt = (timelock: number) => isAccepted({ evm_refund_locktime: timelock });
    expect([window > policy.fundingWindow / 2, endsAt(least), endsAt(least - 1)]).toEqual([true, true, false]);
    // Nothing is paid any more for one that is found again.
    const early = { ...offer.record, evm_refund_locktime: least - 1 };
    expect(isRefusal(takenArkadeEvm.verify(early, { ...terms, restored: now.wall }, now, decodeInvoice))).toBe(false);
  });
});
