import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage } from './fixture-page.ts';
import { now, shellFixtures, swap } from './fixtures.ts';

const possible = swap({
  id: '00000000-0000-4000-8000-000000000001',
  phase: 'refund',
  attention: 'needs-you',
  refund: { state: 'possible', from: now - 60, why: 'surplus' },
  give: { network: 'bitcoin', token: null, symbol: 'sats', decimals: 0, amount: '3987600', sats: 3_987_600 },
  paid: { state: 'stands', amount: '3987600' },
});
const later = swap({
  id: '00000000-0000-4000-8000-000000000002',
  phase: 'refund',
  turn: { who: 'node', step: 'await-refund', until: now + 45_060 },
  refund: { state: 'later', from: now + 45_060, why: 'locktime' },
});
const byItself = swap({
  id: '00000000-0000-4000-8000-000000000003',
  turn: { who: 'nobody', step: 'payment-returns', until: now + 20_000 },
  refund: { state: 'none', from: null, why: 'returns-by-itself' },
  give: { network: 'lightning', token: null, symbol: 'sats', decimals: 0, amount: '14700', sats: 14_700 },
  paid: { state: 'stands', amount: '14700' },
});
const running = swap({ id: '00000000-0000-4000-8000-000000000004' });

describe.skipIf(program === undefined)('the refunds', () => {
  let fixture: FixturePage;
  const swaps = [running, byItself, later, possible];
  const fixtures = {
    ...shellFixtures(swaps, false),
    [`POST /owner/taker/swaps/${possible.id}/refund`]: { at: 'refunding' },
  };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  test('stand by what has to happen, each with its date and the reason why a button waits', async () => {
    await fixture.open('refunds', fixtures);
    await fixture.page.getByRole('region', { name: 'Needs you' }).waitFor();
    const groups = await fixture.page.locator('.refund-group').allInnerTexts();
    const plain = groups.map((group) => group.replaceAll(/\s+/g, ' '));
    expect(plain).toEqual([
      expect.stringMatching(/^Needs you .*3,987,600 sats Possible now no last date More was paid .* Take it back$/),
      expect.stringMatching(
        /^Comes back by itself .*212,530 sats Mon 23 Nov, 09:12 in 12 h \d+ min You need nobody’s help, .* Not before Mon 23 Nov, 09:12 .*14,700 sats after Mon 23 Nov, 02:14 .* Nothing to do$/,
      ),
      expect.stringMatching(/^Still in progress, and safe .* The swap may still finish.* Not while the swap runs$/),
    ]);
    const waiting = fixture.page.getByRole('button', { name: 'Take it back: 212,530 sats' });
    expect(await waiting.evaluateAll((all) => all.map((one) => one.getAttribute('aria-disabled')))).toEqual([
      'true',
      'true',
    ]);
    await waiting.first().focus();
    await fixture.page.keyboard.press('Enter');
    expect(fixture.sent).toEqual([]);
  });

  test('take back what can be taken, and say in the words of the node why not', async () => {
    await fixture.open('refunds', fixtures);
    const button = fixture.page.getByRole('button', { name: 'Take it back: 3,987,600 sats' });
    await button.click();
    await expect
      .poll(() => fixture.sent)
      .toEqual([{ route: `POST /owner/taker/swaps/${possible.id}/refund`, body: {} }]);
    await fixture.open('refunds', {
      ...fixtures,
      [`POST /owner/taker/swaps/${possible.id}/refund`]: new Refused(403, 'The provider claims it right now.'),
    });
    await button.click();
    await fixture.page.getByText('The provider claims it right now.').waitFor();
  });

  test('where there is nothing to bring back, say so as good news', async () => {
    await fixture.open('refunds', shellFixtures([], false));
    await fixture.page.getByRole('heading', { name: 'Nothing to bring back' }).waitFor();
    await fixture.page.getByRole('link', { name: 'Make a report' }).waitFor();
  });

  test('break no rule in either theme and on a narrow window', async () => {
    for (const width of [1_280, 360]) {
      await fixture.open('refunds', fixtures, { width });
      await fixture.page.getByRole('region', { name: 'Needs you' }).waitFor();
      expect(await fixture.violations()).toEqual([]);
      expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }, 60_000);
});
