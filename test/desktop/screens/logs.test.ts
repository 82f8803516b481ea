import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';
import { now, shellFixtures } from './fixtures.ts';

const swapId = '7f3a91c4-0000-4000-8000-000000000001';

/** Lines as the node answers them: the marks of the redacted ones are the node's. */
function lines(_: unknown, query: URLSearchParams) {
  const host = query.get('redacted') === 'true' ? '‹host 1a2b›' : 'umbrel.local:10009';
  const all = [
    {
      number: 3,
      time: now,
      level: 'warn',
      text: 'the network cannot be used',
      swap: null,
      facts: { cause: `${host} is away` },
    },
    {
      number: 2,
      time: now - 60,
      level: 'info',
      text: 'swap moved',
      swap: swapId,
      facts: { swap: swapId, at: 'funded' },
    },
  ];
  const text = query.get('q') ?? '';
  const shown = all.filter(
    (line) => JSON.stringify(line).includes(text) && (query.get('level') !== 'warn' || line.level === 'warn'),
  );
  return { lines: shown, next_cursor: null, dropped: 7 };
}

describe.skipIf(program === undefined)('the logs', () => {
  let fixture: FixturePage;
  const fixtures = { ...shellFixtures([], false), 'GET /owner/logs': lines };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  const count = () => fixture.page.getByRole('row').count();

  test('show the lines of a swap, of a level and with a text', async () => {
    await fixture.open('logs', fixtures);
    await expect.poll(count).toBe(3);
    await fixture.page.getByText('7 older lines are no longer shown here.').waitFor();
    await fixture.page.getByRole('link', { name: '7f3a91c4' }).click();
    await fixture.page.locator('label', { hasText: 'Warnings' }).click();
    await expect.poll(count).toBe(2);
  });

  test('black out what says whose they are until their owner wants it; a report always', async () => {
    await fixture.open('logs', fixtures);
    await fixture.page.getByText('‹host 1a2b› is away').waitFor();
    const download = fixture.page.waitForEvent('download');
    await fixture.page.getByRole('button', { name: 'Save as a report' }).click();
    const report = readFileSync(await (await download).path(), 'utf8').split('\n');
    expect([report[0], report.at(-3)]).toEqual([
      'Sluice 0.1.0, regtest, running since 2026-11-22 19:41:00 UTC',
      '2026-11-22 20:41:00 UTC WARN the network cannot be used cause="‹host 1a2b› is away"',
    ]);
    await fixture.page.getByRole('switch', { name: 'Black out addresses, keys and hosts' }).click();
    await fixture.page.getByText('umbrel.local:10009 is away').waitFor();
    expect(await fixture.page.getByRole('button', { name: 'Save as a report' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
  });

  test('break no rule in either theme and on a narrow window', async () => {
    for (const width of [1_280, 360]) {
      await fixture.open('logs', fixtures, { width });
      await expect.poll(count).toBe(3);
      expect(await fixture.violations()).toEqual([]);
      expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }, 60_000);
});
