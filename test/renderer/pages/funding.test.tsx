import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { Funding } from '../../../renderer/pages/swaps/funding.tsx';
import type { Pay } from '../../../renderer/pages/swaps/pay.ts';

const swap = {
  id: 'a0000000-0000-4000-8000-000000000001',
  created: 1_700_000_000,
  give: { network: 'arkade', token: 'btc', symbol: 'sats', decimals: 0, amount: '1000' },
  get: { network: 'lightning', token: 'btc', symbol: 'sats', decimals: 0, amount: '990' },
  paid: { state: 'none', amount: null },
  to: { own: true, text: null },
  open: true,
  times: {
    now: 1_700_000_000,
    pay_until: 1_700_000_100,
    normal_until: 1_700_000_200,
    refund_signed_from: 1_700_000_300,
    refund_alone_from: 1_700_000_400,
    danger_from: null,
    last: null,
  },
  transactions: [],
  phase: 'pay',
  turn: { who: 'you', step: 'pay', until: null },
  steps: [],
  reason: 'not-locked',
  detail: 'The account holds 0.1 of the coin of evm:137 since 1700000000: source_amount is not there (socket hang up).',
} as unknown as TakerSwap;
const pay = { kind: 'evm', until: null, amount: '1000', text: '', uri: 'ethereum:' } as unknown as Pay;

const textOf = (over: Partial<TakerSwap> = {}) =>
  renderToStaticMarkup(<Funding swap={{ ...swap, ...over }} pay={pay} />).replaceAll(/<[^>]+>/g, ' ');

test('why a payment does not go on is said without errors of sockets, Unix times and names of fields', () => {
  const text = textOf();
  expect(text).toMatch(/the coin of Polygon since \D*\d+ \w+.*: source amount is not there \(no connection\)/);
  expect(text).not.toMatch(/socket|1700000000|source_amount|evm:/);
});

test('what came and could not be locked is not asked for again; it says where to send what is lacking', () => {
  const text = textOf({ paid: { state: 'leaving', amount: '1000' } });
  expect(text).toMatch(/do not pay again/);
  expect(text).not.toMatch(/Exactly this amount|Scan it|Watching for your payment|Pay 1,000 sats/);
});

test('of a reason that is no lack the sentence is ours, whatever somebody else said of it', () => {
  const text = textOf({ reason: 'flagged', detail: 'execution reverted: TRANSFER_FROM_FAILED' });
  expect(text).toMatch(/not as expected/);
  expect(text).not.toMatch(/revert|TRANSFER/);
});
