import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage } from './fixture-page.ts';
import { shellFixtures } from './fixtures.ts';

const settings = {
  network: 'mainnet',
  sandbox: false,
  dataDir: '/srv/sluice',
  socks: null,
  lnd: { socket: '127.0.0.1:10009', certFile: '/srv/lnd/tls.cert', macaroonFile: '/srv/lnd/sluice.macaroon' },
  bitcoin: { core: null, esplora: ['https://esplora.example'] },
  arkade: { url: 'https://arkade.example', maxExposureSats: 20_000_000 },
  evm: {},
  terms: {
    feeBps: 25,
    flatSats: 0,
    minSats: 1_000,
    maxSats: 10_000_000,
    directions: { 'arkade-evm': { feeBps: 60 } },
    inventory: { spreadBps: 0, belowShareBps: 2_500 },
    overpaymentToleranceBps: 100,
  },
  taker: { providers: ['https://one.example'] },
  caps: { perHourSats: 0, perDaySats: 0, approveAboveSats: 0 },
  ceilings: { withdrawalBps: 500, withdrawalMinSats: 2_000, withdrawalMaxSats: 50_000 },
  alerts: {
    webhookUrl: null,
    ntfy: { url: 'https://ntfy.example/mine', tokenFile: null },
    telegram: { chat: null, tokenFile: null, url: 'https://api.telegram.org' },
    deadMan: { urlFile: null, everySeconds: 60 },
  },
  rescue: { copyTo: null },
};

const offer = { fee_bps: 25, spread_bps: 0, flat_sats: 0, min_sats: 1_000, max_sats: 10_000_000 };
const arriving = (amount: number, fee: number, refused: string | null = null) => ({
  amount_sats: amount,
  fee_sats: fee,
  network_fee_sats: 0,
  payout_sats: amount - fee,
  refused,
});
const quotes = (feeBps: number) =>
  [10_000, 100_000, 1_000_000].map((amount) => {
    const { amount_sats, ...now } = arriving(amount, (amount * 25) / 10_000);
    const { amount_sats: _same, ...then } = arriving(amount, (amount * feeBps) / 10_000);
    return { amount_sats, now, then };
  });

/** As the node answers: Lightning to Arkade by what is proposed, the other pair as it is. */
function preview({ terms }: { terms: { feeBps?: number; directions?: Record<string, { feeBps?: number }> } }) {
  const feeBps = terms.directions?.['lightning-arkade']?.feeBps ?? terms.feeBps ?? 25;
  return {
    pairs: [
      {
        direction: 'lightning-arkade',
        source: 'Lightning',
        target: 'Arkade',
        closed: null,
        now: offer,
        then: { ...offer, fee_bps: feeBps },
        quotes: quotes(feeBps),
      },
      {
        direction: 'arkade-evm',
        source: 'Arkade',
        target: '137',
        closed: 'New swaps wait: Polygon is silent.',
        now: { ...offer, fee_bps: 60, spread_bps: 20, min_sats: 9, max_sats: 0 },
        then: { ...offer, fee_bps: 60, spread_bps: 20, min_sats: 9, max_sats: 0 },
        quotes: [],
      },
    ],
  };
}

const row = (network: string, check: string, result: 'pass' | 'warn' | 'fail', sentence: string) => ({
  network,
  check,
  result,
  sentence,
});

const doctor = {
  rows: [
    row('node', 'disk', 'pass', '83717 MB are free for /srv/sluice.'),
    row('bitcoin', 'connection', 'pass', 'The Esplora server at esplora.example answers.'),
    row('bitcoin', 'sync', 'pass', 'The Esplora server at esplora.example is at height 924118.'),
    row('lightning', 'connection', 'fail', 'LND at 127.0.0.1:10009 does not answer: start it, then unlock it.'),
    row('arkade', 'expiry', 'warn', 'A coin expires in 9 hours: keep Sluice running.'),
  ],
};

describe.skipIf(program === undefined)('the settings', () => {
  let fixture: FixturePage;
  const fixtures = {
    ...shellFixtures([], false),
    'GET /owner/settings': { settings },
    'GET /owner/doctor': doctor,
    'PATCH /owner/settings': { settings },
    'POST /owner/terms/preview': preview,
    'POST /owner/pause': {},
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  const button = (name: string | RegExp) => fixture.page.getByRole('button', { name, exact: true });
  const patches = () => fixture.sent.filter(({ route }) => route === 'PATCH /owner/settings').map(({ body }) => body);
  const says = (text: string | RegExp) => fixture.page.getByText(text).first().waitFor();

  test('offer the chains that a node on its network takes, and no other', async () => {
    const chains = async (network: string) => {
      await fixture.open('settings', { ...fixtures, 'GET /owner/settings': { settings: { ...settings, network } } });
      await says(/2 fine, 1 to look at, 1 not working/);
      const names = (await fixture.page.locator('.probe h3').allInnerTexts()).map((name) => name.trim());
      return names.filter((name) => /^(Polygon|Ethereum|Arbitrum|Rootstock)/.test(name));
    };
    expect([await chains('mainnet'), await chains('signet')]).toEqual([
      ['Polygon', 'Ethereum', 'Arbitrum', 'Rootstock'],
      ['Rootstock testnet'],
    ]);
  });

  test('lead from the prices to what watches the price of a pegged token', async () => {
    await fixture.open('settings/terms', fixtures);
    const link = fixture.page.getByRole('link', { name: 'What watches the price of a pegged token' });
    expect(await link.getAttribute('href')).toBe('docs/provide/evm.html#pegs');
  });

  test('tell of every connection what the doctor says, what does not work first and ready to be changed', async () => {
    await fixture.open('settings', fixtures);
    await says(/2 fine, 1 to look at, 1 not working/);
    const names = await fixture.page.locator('.probe h3').allInnerTexts();
    expect(names.slice(0, 4).map((name) => name.split('\n')[0]?.trim())).toEqual([
      expect.stringContaining('Lightning: LND'),
      expect.stringContaining('Arkade operator'),
      expect.stringContaining('This computer'),
      expect.stringContaining('Bitcoin'),
    ]);
    await fixture.page.getByLabel('Address of LND').fill('127.0.0.1:10010');
    await button('Save: Lightning: LND').click();
    await says('Saved, and in force from now on.');
    expect(fixture.sent).toEqual([{ route: 'PATCH /owner/settings', body: { lnd: { socket: '127.0.0.1:10010' } } }]);
  });

  test('say of each way of the alerts whether a test of it arrived', async () => {
    const results = [
      { channel: 'ntfy', arrived: true },
      { channel: 'telegram', arrived: false, reason: 'it answered 401' },
    ];
    let isSet = false;
    const answer = () => ({ results: isSet ? results : [] });
    await fixture.open('settings/alerts', { ...fixtures, 'POST /owner/alerts/test': answer });
    await button('Send a test').click();
    await says('Nothing is set above, so nobody was told. Save an address first.');
    isSet = true;
    await button('Send a test').click();
    await says('ntfy: delivered.');
    await says('Telegram: it did not arrive (it answered 401).');
    await fixture.page.getByLabel('Telegram: chat').fill('-1001');
    await button('Save: Alerts').click();
    await says('Saved, and in force from now on.');
    expect(fixture.sent.at(-1)).toEqual({
      route: 'PATCH /owner/settings',
      body: { alerts: { telegram: { chat: '-1001' } } },
    });
  });

  test('test one connection again with its own button, which is busy until the answer is there', async () => {
    let isSlow = false;
    let answer = () => {};
    const again = new Promise<void>((resolve) => (answer = resolve));
    const answers = () => (isSlow ? again.then(() => doctor) : doctor);
    await fixture.open('settings', { ...fixtures, 'GET /owner/doctor': answers });
    await says(/2 fine, 1 to look at, 1 not working/);
    isSlow = true;
    await button('Test Bitcoin').click();
    await expect.poll(() => button('Test Bitcoin').getAttribute('aria-busy')).toBe('true');
    answer();
    await expect.poll(() => button('Test Bitcoin').getAttribute('aria-busy')).toBe(null);
  });

  test('save what was changed of one group and nothing else, shares as they are meant', async () => {
    await fixture.open('settings/terms', fixtures);
    expect(await fixture.page.getByLabel('Fee', { exact: true }).inputValue()).toBe('0.25');
    const save = button('Save: Prices and limits');
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await fixture.page.getByLabel('Fee', { exact: true }).fill('0.5');
    await fixture.page.getByLabel('Largest swap').fill('25 000 000');
    await save.click();
    await says('Saved, and in force from now on.');
    expect(patches()).toEqual([{ terms: { feeBps: 50, maxSats: 25_000_000 } }]);
  });

  test('show what would be quoted beside what is, for all directions and for one, before it is saved', async () => {
    await fixture.open('settings/terms', fixtures);
    const table = fixture.page.getByRole('table', { name: 'Amount received for each amount sent' });
    const rowOf = (name: string) => table.getByRole('row').filter({ hasText: name });
    await rowOf('Lightning to Arkade').getByText('99,750 sats').waitFor();
    await rowOf('Arkade to EVM').getByText('on Polygon').waitFor();
    await rowOf('Arkade to EVM').getByText('0.8%, 0.2% of it because that side runs dry').waitFor();
    await rowOf('Arkade to EVM').getByText('nothing can be paid out now').waitFor();
    await fixture.page.getByRole('combobox', { name: /^Prices for/ }).click();
    await fixture.page.getByRole('option', { name: 'Lightning to Arkade' }).click();
    expect(await fixture.page.getByLabel('Fee', { exact: true }).inputValue()).toBe('');
    await fixture.page.getByLabel('Fee', { exact: true }).fill('1');
    await rowOf('Lightning to Arkade').getByText('99,000 sats').waitFor();
    expect(await rowOf('Lightning to Arkade').innerText()).toMatch(/99,750 sats\s+then\s+99,000 sats/);
    expect(await rowOf('Arkade to EVM').innerText()).not.toContain('then');
    expect([patches(), await fixture.violations()]).toEqual([[], []]);
    await button('Save: Prices and limits').click();
    await says('Saved, and in force from now on.');
    expect(patches()).toEqual([{ terms: { directions: { 'lightning-arkade': { feeBps: 100 } } } }]);
  });

  test('show the sentence of the node in the place of quotes that cannot be', async () => {
    const sentence = 'terms.feeBps cannot be 84: clients would show one satoshi less. Set 83.';
    await fixture.open('settings/terms', { ...fixtures, 'POST /owner/terms/preview': new Refused(400, sentence) });
    await fixture.page.getByRole('region', { name: 'Quotes to clients' }).getByText(sentence).waitFor();
    await fixture.page.getByLabel('Fee', { exact: true }).fill('much');
    await says('Correct the marked field to see the quotes.');
  });

  test('take back what one direction had of its own where its field is emptied', async () => {
    await fixture.open('settings/terms', fixtures);
    await fixture.page.getByRole('combobox', { name: /^Prices for/ }).click();
    await fixture.page.getByRole('option', { name: /Arkade to EVM.*own prices/ }).click();
    expect(await fixture.page.getByLabel('Fee', { exact: true }).inputValue()).toBe('0.6');
    await fixture.page.getByLabel('Fee', { exact: true }).fill('');
    await button('Save: Prices and limits').click();
    await says('Saved, and in force from now on.');
    expect(patches()).toEqual([{ terms: { directions: { 'arkade-evm': { feeBps: null } } } }]);
  });

  test('say what the node refused in its words, and what is no number before it is sent', async () => {
    const sentence = 'terms.minSats must not be above terms.maxSats.';
    await fixture.open('settings/terms', { ...fixtures, 'PATCH /owner/settings': new Refused(400, sentence) });
    await fixture.page.getByLabel('Smallest swap').fill('a lot');
    await says('Give whole sats, 0 for none.');
    await fixture.page.keyboard.press('Enter');
    await says('Correct the marked field first');
    expect(patches()).toEqual([]);
    await fixture.page.getByLabel('Smallest swap').fill('99,000,000');
    await button('Save: Prices and limits').click();
    await says(sentence);
    expect(await fixture.page.getByLabel('Smallest swap').inputValue()).toBe('99,000,000');
  });

  test('change how the window looks at once and for the next time', async () => {
    await fixture.open('settings/look', fixtures);
    const background = () => fixture.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await fixture.page.getByText('Dark', { exact: true }).click();
    const dark = await background();
    await fixture.page.reload();
    await fixture.page.getByRole('heading', { name: 'Theme' }).waitFor();
    expect([dark === light, await background()]).toEqual([false, dark]);
    await fixture.page.getByText('As the system').click();
    expect(await background()).toBe(light);
  });

  test('speak the language that was chosen, from then on', async () => {
    await fixture.open('settings/look', fixtures);
    await fixture.page.getByText('Deutsch', { exact: true }).click();
    await fixture.page.getByRole('heading', { name: 'Sprache' }).waitFor();
    const lang = () => fixture.page.evaluate(() => document.documentElement.lang);
    expect([await lang(), await fixture.page.getByRole('link', { name: 'Verlauf' }).count()]).toEqual(['de', 1]);
    await fixture.page.getByText('English', { exact: true }).click();
    await fixture.page.getByRole('heading', { name: 'Language' }).waitFor();
    expect(await lang()).toBe('en');
  });

  test('ask for a price of the owner, as a whole or not at all', async () => {
    await fixture.open('settings/look', fixtures);
    await fixture.page.getByLabel('Price source').fill('https://prices.example');
    await fixture.page.getByLabel('Where the price stands in it').fill('usd');
    await fixture.page.getByLabel('Currency', { exact: true }).fill('USD');
    await fixture.page
      .getByRole('form', { name: 'Amounts in your currency' })
      .getByRole('button', { name: 'Save' })
      .click();
    await says('Saved, and in force from now on.');
    expect(fixture.sent).toEqual([
      {
        route: 'PATCH /owner/settings',
        body: { prices: { fiat: { url: 'https://prices.example', path: 'usd', currency: 'USD' } } },
      },
    ]);
  });

  test('name the command where a browser may not see the words', async () => {
    await fixture.open('settings/keys', fixtures);
    await says('npm run seed -- verify --data-dir /srv/sluice');
  });

  test('break no rule in either theme and on a narrow window, section by section', async () => {
    for (const section of ['networks', 'terms', 'caps', 'alerts', 'keys', 'look', 'about']) {
      await fixture.open(`settings/${section}`, fixtures, {
        width: section === 'caps' || section === 'terms' ? 360 : 1_280,
      });
      if (section === 'networks') await says(/not working/);
      expect([section, await fixture.violations()]).toEqual([section, []]);
      expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
        0,
      );
    }
    // Outside the sandbox its controls do not exist, and the browser says so.
    expect(fixture.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  }, 120_000);
});
