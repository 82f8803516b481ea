import { toBuffer } from 'qrcode';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage } from './fixture-page.ts';
import { shellFixtures, usdc, walletFixtures } from './fixtures.ts';

const arkadeAddress = `tark1${'q'.repeat(100)}`;

describe.skipIf(program === undefined)('the wallets', () => {
  let fixture: FixturePage;
  const fixtures = {
    ...shellFixtures([], false),
    ...walletFixtures,
    'POST /owner/wallets/arkade/address': { address: arkadeAddress },
    'POST /owner/wallets/lightning/address': (body: { amount: string }) => ({ address: `lnbcrt${body.amount}` }),
    'POST /owner/wallets/bitcoin/fees': (body: { amount: string; max_fee?: string }) => ({
      fees: [
        { speed: 'next-block', rate: null, fee: null, arrives: null, refused: 'Its fee would be 2840 sats: wait.' },
        { speed: 'hour', rate: 8.04, fee: 1_142, arrives: body.amount === 'all' ? 19_358 : 5_000, refused: null },
        { speed: 'day', rate: 2, fee: 284, arrives: body.amount === 'all' ? 20_216 : 5_000, refused: null },
      ],
    }),
    'POST /owner/wallets/evm:137/fees': (body: { amount: string }) => ({
      fees: [],
      coin: {
        most_gas: '20000000000000000',
        arrives: body.amount === 'all' ? '1480000000000000000' : body.amount,
      },
    }),
    'POST /owner/wallets/bitcoin/withdraw': { id: 'job-1', sent: true, transaction: 'ab'.repeat(32) },
    'POST /owner/wallets/evm:137/withdraw': { id: 'job-2', sent: true, transaction: '0xcd' },
    'POST /owner/taker/accounts/evm:137/send': { id: 'job-4', sent: true, transaction: 'ef'.repeat(32) },
    'POST /owner/wallets/arkade/exit': { jobs: [{ id: 'job-3', coin: 'aa:0', amount: 3_482_117 }] },
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());
  beforeEach(async () => {
    await fixture.open('wallets', fixtures);
    await fixture.page.getByText('sats on Arkade').waitFor();
  });

  const press = (name: string) => fixture.page.getByRole('button', { name, exact: true }).click();
  const fill = (label: string | RegExp, text: string) => fixture.page.getByRole('textbox', { name: label }).fill(text);
  /** What was sent but questions. */
  const moved = () => fixture.sent.filter(({ route }) => !route.endsWith('/fees'));
  const says = (text: string | RegExp) => fixture.page.getByText(text).first().waitFor();

  test('show each asset in its own unit, what is free apart from what is in swaps', async () => {
    await says('Account of your swaps');
    const rows = await fixture.page.getByRole('row').allInnerTexts();
    const plain = rows.map((row) => row.replaceAll(/\s+/g, ' ').replace(/ Receive Send$/, ''));
    expect(plain.filter((row) => /^(sats|POL|WBTC|USDC)/.test(row))).toEqual([
      'sats on Arkade instant, costs next to nothing 3,482,117 1,250,000 0',
      'sats on Lightning in the channels of your Lightning node 900,000 0 0',
      'sats on Bitcoin on-chain, 10 minutes to an hour 20,500 4,000 of it are kept for fees 0 96,212',
      'POL pays for gas when the node moves tokens 1.50 0.00 0.00',
      'WBTC 0xa8ad…5836 0.00431877 0.00 0.00',
      'POL on Polygon 0.02 0.00 Send',
      'USDC on Polygon 912.44 2,400.00 Send',
    ]);
    await says('4,402,617');
  });

  test('give an address with its QR code, and over Lightning an invoice over an amount', async () => {
    await press('Receive sats on Arkade');
    await fixture.page.getByRole('img', { name: 'QR code of the address on Arkade' }).waitFor();
    expect((await fixture.page.locator('.dialog .addr').innerText()).replaceAll(/\s/g, '')).toBe(arkadeAddress);
    expect(await fixture.violations()).toEqual([]);
    await press('Done');
    expect(await fixture.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Receive sats on Arkade',
    );
    await press('Receive sats on Lightning');
    await fill('How much', '25,000');
    await press('Make the invoice');
    await says('lnbc');
    expect(fixture.sent.at(-1)?.body).toEqual({ amount: '25000' });
  });

  test('send only what was looked over, and say what it may cost at most', async () => {
    await press('Send sats on Bitcoin');
    await press('Look it over');
    await says('Fill in an address.');
    await fill('To', 'bcrt1qhome');
    await fill('How much', '30,000');
    await says('Only 20,500 sats are free.');
    await press('Take that');
    await press('Look it over');
    await says('Costs at most 2,000 sats');
    await says('Fee 1,142 sats, at 8 sat/vB.');
    expect(await fixture.violations()).toEqual([]);
    expect(fixture.sent[0]).toEqual({
      route: 'POST /owner/wallets/bitcoin/fees',
      body: { address: 'bcrt1qhome', amount: '20500' },
    });
    await fixture.page.getByRole('radio', { name: /In the next block/ }).check();
    await says('Its fee would be 2840 sats: wait.');
    const now = fixture.page.getByRole('button', { name: 'Send 20,500 sats now' });
    expect([await now.getAttribute('aria-disabled'), moved()]).toEqual(['true', []]);
    await fixture.page.getByRole('radio', { name: /Within a day/ }).check();
    await press('Send 20,500 sats now');
    await says('On its way. Do not send it again.');
    expect(moved()).toEqual([
      { route: 'POST /owner/wallets/bitcoin/withdraw', body: { address: 'bcrt1qhome', amount: '20500', speed: 'day' } },
    ]);
  });

  test('send all of it or a token, with a ceiling of the owner', async () => {
    await press('Send sats on Bitcoin');
    await fill('To', 'bcrt1qhome');
    await fixture.page.getByRole('checkbox').check();
    await fill(/^Most that it may cost/, '900');
    await press('Look it over');
    await says('Costs at most 900 sats');
    await says('Fee 1,142 sats, at 8 sat/vB. 19,358 sats arrive.');
    await press('Send all of it now');
    await says('On its way. Do not send it again.');
    await press('Done');
    await press('Send WBTC on Polygon');
    await fill('To', `0x${'12'.repeat(20)}`);
    await fill('How much', '0.001');
    await press('Look it over');
    await press('Send 0.001 WBTC now');
    await says('On its way. Do not send it again.');
    expect(moved().map(({ body }) => body)).toEqual([
      { address: 'bcrt1qhome', amount: 'all', max_fee: '900', speed: 'hour' },
      {
        address: `0x${'12'.repeat(20)}`,
        amount: '100000',
        asset: '0xa8adc1cde1776958b98bee423684040f56815836',
      },
    ]);
  });

  test('send all of the coin that pays for gas, less the gas that is shown', async () => {
    await press('Send POL on Polygon');
    await fill('To', `0x${'12'.repeat(20)}`);
    await fixture.page.getByRole('checkbox', { name: 'All that is free, less the fee' }).check();
    await press('Look it over');
    await says('Its gas costs at most 0.02 POL, raises included. Above that it waits.');
    expect(await fixture.violations()).toEqual([]);
    await press('Send 1.48 POL now');
    await says('On its way. Do not send it again.');
    const asset = `0x${'0'.repeat(40)}`;
    expect(moved().map(({ body }) => body)).toEqual([
      { address: `0x${'12'.repeat(20)}`, amount: '1480000000000000000', asset },
    ]);
  });

  test('send on what lies at the account of the own swaps, for gas that is said before', async () => {
    await says('Account of your swaps');
    await press('Send on USDC on Polygon');
    await fill('To', `0x${'12'.repeat(20)}`);
    await fixture.page.getByRole('checkbox').check();
    await press('Look it over');
    await says('Its gas costs at most 0.012 POL, raises included. Above that it waits.');
    await press('Send all of it now');
    await says('On its way. Do not send it again.');
    expect(fixture.sent).toEqual([
      {
        route: 'POST /owner/taker/accounts/evm:137/send',
        body: { address: `0x${'12'.repeat(20)}`, amount: 'all', asset: usdc.toLowerCase() },
      },
    ]);
  });

  test('what its network has not taken is told as that, and not to be sent again', async () => {
    await fixture.open('wallets', {
      ...fixtures,
      'POST /owner/wallets/bitcoin/withdraw': { id: 'job-5', sent: false, transaction: '' },
    });
    await press('Send sats on Bitcoin');
    await fill('To', 'bcrt1qhome');
    await fill('How much', '5000');
    await press('Look it over');
    await press('Send 5,000 sats now');
    await says('Not sent yet. Do not send it again.');
    expect(await fixture.page.getByText('On its way').count()).toBe(0);
    await says('job-5');
  });

  test('amounts in the currency of the owner stand beside sats, with the price and its age', async () => {
    await fixture.open('wallets', {
      ...fixtures,
      'GET /owner/display': {
        fiat: { currency: 'USD', price: 100_000, age_seconds: 7_200 },
        trouble: 'it answered 503',
        explorers: {},
      },
    });
    await says('≈ 3,482.12 USD (price 2 h old)');
    await says('One bitcoin costs 100,000.00 USD; asked 2 h ago. The price source did not answer: it answered 503.');
  });

  test('a code is read from a picture and from the camera, whatever the browser brings', async () => {
    const address = `bcrt1q${'q'.repeat(38)}`;
    const to = fixture.page.getByRole('textbox', { name: 'To' });
    const buffer = await toBuffer(`bitcoin:${address}?amount=0.001`, { width: 600 });
    await press('Send sats on Bitcoin');
    await press('Scan a QR code');
    const choose = fixture.page.getByLabel('A picture with the code');
    await choose.setInputFiles({ name: 'none.png', mimeType: 'image/png', buffer: Buffer.from('none') });
    await says('This file is no picture that can be read.');
    await choose.setInputFiles({ name: 'code.png', mimeType: 'image/png', buffer });
    await fixture.page.getByRole('dialog', { name: 'Scan a QR code' }).waitFor({ state: 'hidden' });
    expect(await to.inputValue()).toBe(address);

    await to.fill('');
    await press('Scan a QR code');
    await fixture.page.evaluate(film, [...buffer]);
    await press('Use the camera');
    await fixture.page.getByRole('dialog', { name: 'Scan a QR code' }).waitFor({ state: 'hidden' });
    expect(await to.inputValue()).toBe(address);
  });

  test('a refusal of the node stands above what was typed', async () => {
    const sentence = 'address is not a Bitcoin address of regtest: look for a missing or wrong letter.';
    await fixture.open('wallets', {
      ...fixtures,
      'POST /owner/wallets/bitcoin/withdraw': new Refused(400, sentence),
    });
    await press('Send sats on Bitcoin');
    await fill('To', 'bcrt1wrong');
    await fill('How much', '5000');
    await press('Look it over');
    await press('Send 5,000 sats now');
    await says(sentence);
    expect(await fixture.page.getByRole('textbox', { name: 'To' }).inputValue()).toBe('bcrt1wrong');
  });

  test('leave Arkade only after a question', async () => {
    await press('Leave Arkade for Bitcoin');
    await says('Leave Arkade now?');
    expect(fixture.sent).toEqual([]);
    await press('Leave to Bitcoin now');
    await says(/1 coin leaves: 3,482,117 sats/);
    expect(fixture.sent.map(({ route }) => route)).toEqual(['POST /owner/wallets/arkade/exit']);
  });

  test('break no rule in either theme and on a narrow window, and the keyboard reaches each act', async () => {
    expect(await fixture.violations()).toEqual([]);
    expect(await fixture.tabStops(20)).toEqual(
      expect.arrayContaining(['Receive sats on Arkade', 'Send WBTC on Polygon', 'Leave Arkade for Bitcoin']),
    );
    await fixture.open('wallets', fixtures, { width: 360 });
    await says('sats on Arkade');
    expect(await fixture.violations()).toEqual([]);
    expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});

/** In the page: a camera that is held over a picture. */
async function film(png: readonly number[]): Promise<void> {
  const picture = await createImageBitmap(new Blob([new Uint8Array(png)], { type: 'image/png' }));
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [800, 600];
  const context = canvas.getContext('2d');
  setInterval(() => context?.drawImage(picture, 100, 0, 600, 600), 50);
  navigator.mediaDevices.getUserMedia = () => Promise.resolve(canvas.captureStream(10));
}
