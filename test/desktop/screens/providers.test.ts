import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage } from './fixture-page.ts';
import { shellFixtures } from './fixtures.ts';

const end = (chain: string) => ({ chain, token: 'btc', symbol: 'BTC', decimals: 8 });
const ways = { ways: [{ direction: 'lightning-arkade', source: end('Lightning'), target: end('Arkade') }] };
const quote = {
  exchange_rate: '1',
  network_fee: 0,
  gasless_network_fee: 0,
  protocol_fee: 62,
  protocol_fee_rate: 0.0025,
  min_amount: 1_000,
  max_amount: 10_000_000,
  source_amount: '25000',
  target_amount: '25000',
  net_source_amount: '25000',
  net_target_amount: '24938',
};
const offer = (provider_url: string, target_amount: string, costs: number | null) => ({
  provider_url,
  why: null,
  detail: null,
  source_amount: '25000',
  target_amount,
  costs: costs === null ? [] : [{ part: 'service', sats: costs }],
  min_sats: 1_000,
  max_sats: 10_000_000,
  usual_seconds: provider_url === '' ? 14 : null,
  worst_seconds: null,
});
const none = (provider_url: string, why: string, more: object = {}) => ({
  ...offer(provider_url, '0', null),
  why,
  source_amount: null,
  target_amount: null,
  min_sats: null,
  max_sats: null,
  usual_seconds: null,
  ...more,
});
const quotes = [
  offer('https://harbour.example', '24969', 31),
  offer('', '24938', 62),
  offer('https://dear.example', '24000', null),
  none('https://away.example', 'away'),
  none('https://small.example', 'above-maximum', { min_sats: 100, max_sats: 20_000 }),
  none('https://no.example', 'declined', { detail: 'Not today.' }),
];

describe.skipIf(program === undefined)('with whom a swap is made', () => {
  let fixture: FixturePage;
  const fixtures = {
    ...shellFixtures([], false),
    'GET /owner/taker/ways': ways,
    'GET /quote': quote,
    'POST /owner/taker/quotes': { quotes },
    'POST /owner/taker/swaps': new Refused(403, 'The price got worse: look at the new price.'),
  };
  const settings = (providers: readonly string[]) => ({
    settings: { sandbox: false, taker: { providers }, terms: {} },
  });

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  const button = (name: string | RegExp) => fixture.page.getByRole('button', { name, exact: true });
  const says = (text: string | RegExp) => fixture.page.getByText(text).first().waitFor();
  const radio = (name: string) => fixture.page.getByRole('radio', { name, exact: true });
  const created = () => fixture.sent.filter(({ route }) => route === 'POST /owner/taker/swaps').map(({ body }) => body);

  test('the best is taken, the others stand beside it, and one that has no offer says why', async () => {
    await fixture.open('swap', fixtures);
    await says(/Best of 6 providers/);
    await expect.poll(() => fixture.page.getByLabel('You get').first().inputValue()).toBe('24,969');
    await button('Compare').press('Enter');
    const rows = await fixture.page.getByRole('row').allInnerTexts();
    expect(rows.slice(1).map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      expect.stringContaining(
        'harbour.example 24,969 sats costs 31 sats No swaps with it yet If it vanishes: back by itself',
      ),
      expect.stringContaining('This node 24,938 sats costs 62 sats Usually 14 s'),
      expect.stringContaining('dear.example 24,000 sats all costs included'),
      expect.stringContaining('away.example Does not answer.'),
      expect.stringContaining('small.example Above its maximum. It pays out 100 sats to 20,000 sats.'),
      expect.stringContaining('no.example Refuses this swap. In its words: Not today.'),
    ]);
    expect([await radio('away.example').isDisabled(), await fixture.violations()]).toEqual([true, []]);
  }, 60_000);

  test('the owner chooses by keys, is not told that the price moved, and gets what was shown or nothing', async () => {
    await radio('harbour.example').focus();
    await fixture.page.keyboard.press('ArrowDown');
    await says('The provider that you chose');
    await expect.poll(() => fixture.page.getByLabel('You get').first().inputValue()).toBe('24,938');
    await fixture.page.keyboard.press('ArrowDown');
    await expect.poll(() => fixture.page.getByLabel('You get').first().inputValue()).toBe('24,000');
    await button('Review and pay 25,000 sats').click();
    await button('Make it, then pay 25,000 sats').click();
    await fixture.page.getByRole('alert').getByText('The price got worse').waitFor();
    expect(created()).toEqual([
      {
        direction: 'lightning-arkade',
        amount_sats: 25_000,
        provider_url: 'https://dear.example',
        most_source_amount: '25000',
        least_target_amount: '24000',
      },
    ]);
  }, 60_000);

  test('a Lightning address says what it takes, the node asks it, and the nearest that it takes is offered', async () => {
    const out = { direction: 'arkade-lightning', source: end('Arkade'), target: end('Lightning') };
    await fixture.open('swap', {
      ...fixtures,
      'GET /owner/taker/ways': { ways: [out] },
      'POST /owner/taker/payees': { min_sats: 1_000, max_sats: 20_000 },
      'POST /owner/taker/quotes': new Refused(503, 'Nobody answers.'),
      'GET /quote': (_: unknown, query: URLSearchParams) =>
        query.has('target_amount') ? { ...quote, net_source_amount: '20050', net_target_amount: '20000' } : quote,
    });
    await fixture.page.getByLabel('Send it to').fill('alice@example.com');
    await says('The payee takes 20,000 sats at most.');
    expect(await fixture.violations()).toEqual([]);
    await fixture.page.getByRole('button', { name: 'Use 20,000' }).click();
    await says('Lightning address, takes 1,000 to 20,000 sats');
    expect([
      await fixture.page.getByLabel('You get').first().inputValue(),
      fixture.sent.find(({ route }) => route === 'POST /owner/taker/payees')?.body,
    ]).toEqual(['20,000', { lightning_address: 'alice@example.com' }]);
  }, 60_000);

  test('nothing sticks out of a narrow window in the dark', async () => {
    await fixture.open('swap', fixtures, { theme: 'dark', width: 320 });
    await button('Compare').click();
    await says('Does not answer.');
    const wide = await fixture.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect([wide, await fixture.violations()]).toEqual([0, []]);
  }, 60_000);

  test('an address is added once a provider answers there, and taken out with a press', async () => {
    let fault: string | null = 'unreadable';
    await fixture.open('settings/terms', {
      ...fixtures,
      'GET /owner/settings': settings(['https://one.example']),
      'POST /owner/taker/providers/check': () => ({ fault }),
      'PATCH /owner/settings': (body: { taker: { providers: string[] } }) => settings(body.taker.providers),
    });
    await fixture.page.getByLabel('Address of a provider').fill('https://two.example/');
    await button('Add').click();
    await fixture.page.getByRole('alert').getByText('no swap provider, so it was not added').waitFor();
    fault = null;
    await button('Add').click();
    await says('two.example answers as a provider and is asked from now on.');
    await button('Remove one.example').click();
    await says('one.example is not asked any more.');
    const patches = fixture.sent.filter(({ route }) => route === 'PATCH /owner/settings').map(({ body }) => body);
    expect([patches, await fixture.violations()]).toEqual([
      [
        { taker: { providers: ['https://one.example', 'https://two.example'] } },
        { taker: { providers: ['https://two.example'] } },
      ],
      [],
    ]);
  }, 60_000);
});
