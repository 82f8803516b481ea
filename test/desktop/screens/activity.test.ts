import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { program } from '../browser.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';
import { now, shellFixtures, swap } from './fixtures.ts';

const many = 50_000;

function numbered(number: number): TakerSwap {
  const over = number >= 4;
  return swap({
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    created: now - number * 60,
    open: !over,
    phase: over ? 'over' : 'wait',
    outcome: over ? 'finished' : null,
    ...(number === 1 ? { attention: 'danger' } : number === 2 ? { attention: 'needs-you' } : {}),
    turn: { who: 'provider', step: number === 3 ? 'payment-returns' : 'pay-out', until: null },
  });
}

/** The list as the node answers it: by page, by kind, by text. */
function list(total: number) {
  return (_: unknown, query: URLSearchParams) => {
    const from = Number(query.get('cursor') ?? 0);
    const limit = Number(query.get('limit') ?? 50);
    const text = query.get('q') ?? '';
    const all = Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (__, i) => numbered(from + i));
    const swaps = all.filter(
      ({ id, open }) => id.includes(text) && (query.get('show') !== 'open' || open) && query.get('show') !== 'returned',
    );
    const narrowed = text !== '' || ['open', 'returned'].includes(query.get('show') ?? '');
    return {
      swaps,
      next_cursor: narrowed || from + limit >= total ? null : String(from + limit),
      counts: { all: total, open: Math.min(4, total), needs_you: 2, finished: total - 4, returned: 0 },
    };
  };
}

describe.skipIf(program === undefined)('the activity', () => {
  let fixture: FixturePage;
  const fixtures = { ...shellFixtures([], false), 'GET /owner/taker/swaps': list(many) };

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  const rows = () => fixture.page.getByRole('row').allInnerTexts();
  const table = () => fixture.page.getByRole('table', { name: 'Your swaps, newest first' });

  test('says of each swap how it stands and what happens next', async () => {
    await fixture.open('activity', fixtures);
    await table().waitFor();
    const plain = (await rows()).slice(1, 6).map((row) => row.replaceAll(/\s+/g, ' ').replace(/^.* sats .* sats /, ''));
    expect(plain).toEqual([
      'In progress The provider pays the invoice.',
      'Danger The provider pays the invoice. Look at it',
      'Needs you The provider pays the invoice. Look at it',
      'Coming back The payment goes back to the wallet that sent it. Do not pay again.',
      'Finished Receipt',
    ]);
    expect(await fixture.page.getByRole('link', { name: 'Receipt' }).first().getAttribute('href')).toBe(
      '#/swaps/00000000-0000-4000-8000-000000000004',
    );
  });

  test('draws only what is in sight of fifty thousand, and reads further as one scrolls', async () => {
    await fixture.open('activity', fixtures);
    await table().waitFor();
    expect(await table().getAttribute('aria-rowcount')).toBe(String(many + 1));
    expect(await fixture.page.locator('.vt-row').count()).toBeLessThan(60);
    const frame = fixture.page.locator('.vt');
    for (const page of [2, 3]) {
      await frame.evaluate((element) => (element.scrollTop = element.scrollHeight));
      await fixture.page.getByText(`${page}00 of 50,000 swaps`).waitFor();
    }
    expect(await fixture.page.locator('.vt-row').count()).toBeLessThan(60);
  });

  test('narrows by kind, by text and says when nothing matches', async () => {
    await fixture.open('activity', fixtures);
    await table().waitFor();
    await fixture.page.locator('label', { hasText: 'Open' }).click();
    await expect.poll(async () => (await rows()).length).toBe(5);
    await fixture.page.getByRole('searchbox', { name: 'Find a swap' }).fill('nowhere');
    await fixture.page.getByText('Nothing matches “nowhere”').waitFor();
    expect(await fixture.violations()).toEqual([]);
    await fixture.page.getByRole('button', { name: 'Show all swaps' }).click();
    await fixture.page.getByText('of 50,000 swaps').waitFor();
  });

  test('saves what is shown as a file for spreadsheets', async () => {
    await fixture.open('activity', { ...fixtures, 'GET /owner/taker/swaps': list(450) });
    await table().waitFor();
    const download = fixture.page.waitForEvent('download');
    await fixture.page.getByRole('button', { name: 'Save as CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect([lines.length, lines[0], lines[5]]).toEqual([
      451,
      'started,id,provider,direction,gives,gives_asset,gets,gets_asset,status,costs_sats,transactions,label,note',
      '2026-11-22T20:37:00Z,00000000-0000-4000-8000-000000000004,,arkade-lightning,212530,sats,211900,sats,Finished,630,,,',
    ]);
    await fixture.page.getByText('450 swaps saved.').waitFor();
  });

  test('where there is none yet, leads to the first', async () => {
    await fixture.open('activity', { ...fixtures, 'GET /owner/taker/swaps': list(0) });
    await fixture.page.getByRole('heading', { name: 'No swaps yet' }).waitFor();
    expect(await fixture.page.getByRole('link', { name: 'Start a swap' }).getAttribute('href')).toBe('#/swap');
  });

  test('breaks no rule in either theme and on a narrow window, and the keyboard reaches the list', async () => {
    await fixture.open('activity', fixtures);
    await table().waitFor();
    expect(await fixture.violations()).toEqual([]);
    const stops = await fixture.tabStops(14);
    expect(stops).toEqual(expect.arrayContaining(['Save as CSV', 'Find a swap', 'Your swaps, newest first']));
    await fixture.open('activity', fixtures, { width: 360 });
    await table().waitFor();
    expect(await fixture.violations()).toEqual([]);
    expect(await fixture.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  }, 60_000);
});
