import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';
import { shellFixtures, swap, walletFixtures } from './fixtures.ts';

const txid = 'ab'.repeat(32);
const shown = swap({
  transactions: [
    { what: 'lock', network: 'bitcoin', txid, whose: 'you' },
    { what: 'lock', network: 'arkade', txid: 'cd'.repeat(32), whose: 'provider' },
    { what: 'claim', network: 'evm:137', txid: 'ef'.repeat(32), whose: 'you' },
  ],
});

describe.skipIf(program === undefined)('a transaction', () => {
  let fixture: FixturePage;
  const open = (explorers: object) =>
    fixture.open(`swaps/${shown.id}`, {
      ...shellFixtures([shown], false),
      ...walletFixtures,
      'GET /owner/display': { fiat: null, trouble: null, explorers },
      [`GET /owner/taker/swaps/${shown.id}`]: shown,
    });
  /** Each link out of the page, with what it says to the other side. */
  const links = async () => {
    await fixture.page.getByText('Details and transactions').click();
    // What shows them is loaded when they are.
    await fixture.page.waitForLoadState('networkidle');
    return fixture.page
      .getByRole('link', { name: /in the explorer of/ })
      .evaluateAll((all) => all.map((one) => ['href', 'aria-label', 'rel'].map((name) => one.getAttribute(name))));
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  test('leads to the explorer that its owner named for that network, and to none elsewhere', async () => {
    await open({ bitcoin: 'https://look.example/regtest/tx/{txid}?of={txid}#out' });
    expect(await links()).toEqual([
      [
        `https://look.example/regtest/tx/${txid}?of=${txid}#out`,
        'Look at this transaction in the explorer of Bitcoin',
        'noreferrer noopener',
      ],
    ]);
  }, 60_000);

  test('of an EVM chain begins with 0x there, as explorers take it', async () => {
    await open({ 'evm:137': 'https://look.example/tx/{txid}' });
    expect((await links()).map(([address]) => address)).toEqual([`https://look.example/tx/0x${'ef'.repeat(32)}`]);
  }, 60_000);

  test('leads nowhere while none is named', async () => {
    await open({});
    expect(await links()).toEqual([]);
  }, 60_000);
});
