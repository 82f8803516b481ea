import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage } from './fixture-page.ts';
import { now, shellFixtures, swap, usdc } from './fixtures.ts';

describe.skipIf(program === undefined)('the page of the sandbox', () => {
  let fixture: FixturePage;
  const fixtures = {
    ...shellFixtures([swap()]),
    'POST /owner/wallets/arkade/address': { address: 'tark1home' },
    'POST /owner/wallets/evm:137/address': { address: `0x${'12'.repeat(20)}` },
    'POST /sandbox/arkade/faucet': { txid: 'aa', vout: 0 },
    'POST /sandbox/evm/137/faucet': { tx_hash: 'bb' },
    'POST /sandbox/evm/137/fault': {},
    'POST /sandbox/clock/advance': { clock: now + 3_600 },
    'POST /sandbox/bitcoin/mine': { height: 4_156, mtp: now },
    'POST /sandbox/arkade/fault': {},
    'POST /sandbox/lightning/fault': {},
    'POST /sandbox/lightning/release': {},
    'POST /sandbox/lightning/pay': new Refused(400, 'bolt11 cannot be "lnbcrt1": it is no invoice.'),
    'POST /sandbox/reset': {},
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());
  beforeEach(() => fixture.open('sandbox', fixtures));

  const press = (name: string | RegExp) => fixture.page.getByRole('button', { name }).first().click();
  const sends = (count: number) =>
    expect
      .poll(() => fixture.sent.length)
      .toBe(count)
      .then(() => fixture.sent.map(({ route, body }) => [route, body]));
  const says = (text: string) => fixture.page.getByText(text).waitFor();

  test('shows the clock, the blocks and what is wrong now', async () => {
    await says('Bitcoin block 4,150 · Polygon block 12,902');
    const switches = await fixture.page
      .getByRole('switch')
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked));
    expect(switches).toEqual([false, true]);
  });

  test('gives sats and tokens to the wallets of the node', async () => {
    await press('Get: Sats on Arkade');
    await says('5,000,000 sats arrived in your Arkade wallet.');
    await press('Get: Coins on EVM chains');
    await says('2,500.00 USDC arrived in your Polygon wallet.');
    expect((await sends(4)).slice(1)).toEqual([
      ['POST /sandbox/arkade/faucet', { address: 'tark1home', amount: 5_000_000 }],
      ['POST /owner/wallets/evm:137/address', {}],
      ['POST /sandbox/evm/137/faucet', { address: `0x${'12'.repeat(20)}`, token: usdc, amount: '2500000000' }],
    ]);
  });

  test('moves the clock by steps, and to the next thing that an open swap waits for', async () => {
    await press('+ 1 h');
    await says('It is now Sun 22 Nov, 21:41 on every network.');
    await press(/^To the next deadline/);
    const [[, byStep], [, toDeadline]] = (await sends(2)) as [[string, unknown], [string, { seconds: number }]];
    expect(byStep).toEqual({ seconds: 3_600 });
    expect(toDeadline.seconds).toBeGreaterThan(3_580);
    expect(toDeadline.seconds).toBeLessThanOrEqual(3_601);
  });

  test('switches, arms and ends bad luck', async () => {
    await fixture.page.getByRole('switch', { name: 'Arkade operator is away' }).click();
    await says('Arkade operator is away: switched on.');
    await press('Arm: Next Lightning payment hangs');
    await says('Armed: Next Lightning payment hangs.');
    await press('Let it settle');
    await says('The payment goes on.');
    await press('Arm: Next Polygon transaction of the node reverts');
    expect(await sends(4)).toEqual([
      ['POST /sandbox/arkade/fault', { operator: 'away' }],
      ['POST /sandbox/lightning/fault', { next_payment: 'hangs' }],
      ['POST /sandbox/lightning/release', { payment_hash: 'ab'.repeat(32), outcome: 'settles' }],
      ['POST /sandbox/evm/137/fault', { next_transaction: 'reverts' }],
    ]);
  });

  test('says what was refused in the words of the node, and an amount that is none before it is sent', async () => {
    await fixture.page.getByRole('textbox', { name: 'Pay a Lightning invoice' }).fill('lnbcrt1');
    await press('Pay a Lightning invoice');
    await says('bolt11 cannot be "lnbcrt1": it is no invoice.');
    await fixture.page.getByRole('textbox', { name: 'Sats on Arkade' }).fill('many');
    await press('Get: Sats on Arkade');
    await says('Give a number above zero.');
    expect(fixture.sent.map(({ route }) => route)).toEqual(['POST /sandbox/lightning/pay']);
  });

  test('starts over only after a question, which Escape answers with no', async () => {
    await press('Start over with a fresh sandbox');
    await fixture.page.getByRole('dialog', { name: 'Start over?' }).waitFor();
    expect(await fixture.violations()).toEqual([]);
    await fixture.page.keyboard.press('Escape');
    expect(fixture.sent).toEqual([]);
    await press('Start over with a fresh sandbox');
    await press('Throw it away and start over');
    await says('A fresh sandbox is running.');
    expect(await sends(1)).toEqual([['POST /sandbox/reset', {}]]);
  });

  test('breaks no rule in either theme, nor on a narrow window, and the keyboard reaches everything', async () => {
    expect(await fixture.violations()).toEqual([]);
    const stops = await fixture.tabStops(30);
    expect(stops).toEqual(
      expect.arrayContaining(['+ 10 min', 'Get: Sats on Arkade', 'Mine 6', 'Arkade operator is away']),
    );
    await fixture.open('sandbox', fixtures, { width: 360 });
    expect(await fixture.violations()).toEqual([]);
    expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(fixture.complaints).toEqual([]);
  });
});
