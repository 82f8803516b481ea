import { afterAll, beforeAll, expect, test } from 'vitest';
import { takerSwapBody } from '../../engine/contract/taker.ts';
import { parse } from '../../engine/contract/field.ts';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { sats, type Sats } from '../../engine/domain/money.ts';
import { startPair, type Pair } from './pair.ts';

let pair: Pair;
let answer: (amount: Sats) => string | Refusal;
beforeAll(async () => {
  const payees = {
    resolve: async (_: unknown, amount: Sats) => answer(amount),
    check: async () => null,
    range: async () => ({ least: sats(1_000), most: sats(100_000) }),
  };
  pair = await startPair({ taker: { payees } });
});
afterAll(() => pair.stop());

const place = { is: 'address', text: 'alice@example.com' } as const;

function create() {
  return pair.taker.taker.create({
    direction: 'arkade-lightning',
    amount: sats(20_000),
    invoice: null,
    payee: place,
    provider: '',
  });
}

test('a Lightning address is asked by this node, and its invoice is paid as one that was pasted', async () => {
  const { bolt11 } = pair.world.invoice(20_000n);
  answer = () => bolt11.toUpperCase();
  const created = await create();
  if (isRefusal(created)) throw new Error(created.sentence);
  expect([(await pair.listed(created.id)).invoice, await pair.taker.taker.payee(place)]).toEqual([
    bolt11,
    { min_sats: 1_000, max_sats: 100_000 },
  ]);
});

test('a place that says no begins nothing, nor does one whose invoice is over another amount', async () => {
  const no = refuse('invalid', 'The payee at example.com takes 1 to 2 sats.');
  answer = () => no;
  const refused = await create();
  const other = pair.world.invoice(19_000n).bolt11;
  answer = () => other;
  expect([refused, await create()]).toEqual([no, { refusal: 'invalid', sentence: expect.stringContaining('19000') }]);
});

test('one destination is named, and only where something is paid over Lightning', () => {
  const body = (more: object) => parse(takerSwapBody, { direction: 'arkade-lightning', amount_sats: 20_000, ...more });
  const lnurl = `lnurl1${'q'.repeat(20)}`;
  expect([
    body({ lightning_address: 'Alice@example.com' }),
    body({ lnurl, lightning_address: 'alice@example.com' }),
    body({}),
    body({ direction: 'lightning-arkade', lnurl }),
  ]).toEqual([
    expect.objectContaining({ invoice: null, payee: place }),
    { refusal: 'invalid', sentence: expect.stringContaining('exclude each other') },
    { refusal: 'invalid', sentence: expect.stringContaining('or a lightning_address or lnurl') },
    { refusal: 'invalid', sentence: expect.stringContaining('only for a swap to Lightning') },
  ]);
});
