import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { Funding, type Pay } from '../../../renderer/pages/swaps/funding.tsx';

const swap = {
  id: 'a0000000-0000-4000-8000-000000000001',
  created: 1_700_000_000,
  give: { network: 'arkade', token: 'btc', symbol: 'sats', decimals: 0, amount: '1000' },
  get: { network: 'lightning', token: 'btc', symbol: 'sats', decimals: 0, amount: '990' },
  paid: { state: 'none', amount: null },
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
  turn: { who: 'owner', step: 'pay', until: null },
  steps: [],
  reason: 'price-away',
  detail: 'connect ECONNREFUSED 127.0.0.1:8545 since 1700000000: source_amount is not known',
} as unknown as TakerSwap;
const pay = { kind: 'address', until: 1_700_000_100, amount: '1000', address: '', uri: '' } as unknown as Pay;

test('why a payment does not go on is said without errors of sockets, Unix times and names of fields', () => {
  const text = renderToStaticMarkup(<Funding swap={swap} pay={pay} />).replaceAll(/<[^>]+>/g, ' ');
  expect(text).toMatch(/no connection since \D*\d+ \w+.*: source amount is not known/);
  expect(text).not.toMatch(/ECONN|1700000000|source_amount/);
});
