import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';
import { shellFixtures, walletFixtures } from './fixtures.ts';

const end = (chain: string) => ({ chain, token: 'btc', symbol: 'BTC', decimals: 8 });
const token = { chain: '137', token: '0xa8adc1cde1776958b98bee423684040f56815836', symbol: 'WBTC', decimals: 8 };
const ways = {
  bitcoin: { direction: 'bitcoin-arkade', source: end('Bitcoin'), target: end('Arkade') },
  arkade: { direction: 'arkade-bitcoin', source: end('Arkade'), target: end('Bitcoin') },
  lightning: { direction: 'lightning-arkade', source: end('Lightning'), target: end('Arkade') },
  token: { direction: 'evm-arkade', source: token, target: end('Arkade') },
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
    'GET /owner/taker/ways': { ways: Object.values(ways) },
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

  const give = () => fixture.page.getByRole('textbox', { name: /you give/i });
  const openWay = (way: keyof typeof ways) =>
    fixture.open('swap', { ...fixtures, 'GET /owner/taker/ways': { ways: [ways[way]] } });

  test('all that lies free on Arkade is offered whole', async () => {
    await openWay('arkade');
    await fixture.page.getByRole('button', { name: 'Use all 3,482,117' }).click();
    expect([await give().inputValue(), fixture.sent.filter(({ route }) => route.endsWith('/fees'))]).toEqual([
      '3,482,117',
      [],
    ]);
  }, 60_000);

  test.each(['lightning', 'token'] as const)(
    'nothing of it is offered where no wallet of the node pays: %s',
    async (way) => {
      await openWay(way);
      await give().waitFor();
      await fixture.page.waitForLoadState('networkidle');
      expect(await fixture.page.getByRole('button', { name: /^Use all/ }).count()).toBe(0);
    },
    60_000,
  );

  test.each([
    ['sats on Arkade', '3,482,117'],
    ['WBTC on Polygon', '0.00431877'],
  ])('a wallet that pays its fees from elsewhere sends all of it with a press: %s', async (holding, all) => {
    await fixture.open('wallets', fixtures);
    await fixture.page.getByRole('button', { name: `Send ${holding}`, exact: true }).click();
    await fixture.page.getByRole('button', { name: `${all} ${holding.split(' ')[0]} are free to use.` }).click();
    expect(await fixture.page.getByRole('textbox', { name: 'How much' }).inputValue()).toBe(all);
  });
});
