import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';
import { shellFixtures, walletFixtures } from './fixtures.ts';

describe.skipIf(program === undefined)('the frame of every page', () => {
  let fixture: FixturePage;

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  /** What has the focus, and whether a ring is drawn around it. */
  const focused = () =>
    fixture.page.evaluate(() => {
      const at = document.activeElement!;
      return [at.textContent.trim().slice(0, 20), getComputedStyle(at).outlineStyle !== 'none'] as const;
    });

  test('the ring stands around what can be pressed, and not around a page that was just opened', async () => {
    const { page, open } = fixture;
    await open('refunds', { ...shellFixtures([], false), ...walletFixtures });
    for (const name of ['Skip to the content', 'Wallets']) {
      await page.keyboard.press('Tab');
      await page.getByRole('link', { name, exact: true }).focus();
      expect(await focused()).toEqual([name, true]);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Wallets' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    const ring = () => page.evaluate(() => document.activeElement!.matches(':focus-visible'));
    expect([await ring(), (await focused())[1]]).toEqual([true, false]);
    await page.keyboard.press('Tab');
    expect((await focused())[1]).toBe(true);
  });

  test('a page whose script does not come says so, and comes once it is loaded again', async () => {
    const { page, open } = fixture;
    await open('refunds', { ...shellFixtures([], false), ...walletFixtures });
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'This page did not load' }).waitFor();
    await page.unroute('**/assets/*.js');
    await page.getByRole('button', { name: 'Load it again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  });
});
