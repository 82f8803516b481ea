import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';
import { shellFixtures, walletFixtures } from './fixtures.ts';

const end = (chain: string) => ({ chain, token: 'btc', symbol: 'BTC', decimals: 8 });
const ways = {
  ways: [
    { direction: 'bitcoin-arkade', source: end('Bitcoin'), target: end('Arkade') },
    { direction: 'arkade-bitcoin', source: end('Arkade'), target: end('Bitcoin') },
  ],
};
const fees = [
  { speed: 'next-block', refused: null, rate: 20, fee: 2_220, arrives: 14_280 },
  { speed: 'hour', refused: null, rate: 8, fee: 888, arrives: 15_612 },
  { speed: 'day', refused: 'It is never mined so.', rate: null, fee: null, arrives: null },
];

describe.skipIf(program === undefined)('how much is given', () => {
  let fixture: FixturePage;
  const fixtures = {
    ...shellFixtures([], false),
    ...walletFixtures,
    'GET /owner/taker/ways': ways,
    'POST /owner/wallets/bitcoin/fees': { fees },
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  test('all that the Bitcoin wallet can pay is offered less its dearest fee, and taken with a press', async () => {
    await fixture.open('swap', fixtures);
    await fixture.page.getByRole('button', { name: 'Use all 14,280' }).click();
    expect(await fixture.page.getByRole('textbox', { name: /you give/i }).inputValue()).toBe('14,280');
    expect(fixture.sent.filter(({ route }) => route.endsWith('/fees'))[0]?.body).toEqual({
      amount: 'all',
      asset: 'btc',
    });
  }, 60_000);
});
