import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerRestore } from '../../../engine/contract/taker-restore.ts';
import { program } from '../browser.ts';
import { openFixturePage, Refused, type FixturePage } from './fixture-page.ts';
import { now, shellFixtures } from './fixtures.ts';

const never: TakerRestore = {
  state: 'never',
  started: null,
  ended: null,
  providers: [],
  counts: { reopened: 0, held: 0, over: 0, refused: 0, later: 0 },
  swaps: [],
  left_out: 0,
  all_found: false,
};
const idOf = (digit: number) => `${digit}f3a91c4-0000-4000-8000-00000000000${digit}`;
const row = (digit: number, over: Partial<TakerRestore['swaps'][number]>): TakerRestore['swaps'][number] => ({
  provider_url: '',
  provider_swap_id: idOf(digit),
  direction: 'lightning-arkade',
  id: null,
  outcome: 'over',
  reason: null,
  detail: null,
  unproven: [],
  ...over,
});
const done: TakerRestore = {
  state: 'done',
  started: now - 20,
  ended: now,
  providers: [
    { provider_url: '', state: 'done' },
    { provider_url: `https://${'harbour'.repeat(9)}.example`, state: 'silent' },
  ],
  counts: { reopened: 1, held: 1, over: 1, refused: 1, later: 1 },
  swaps: [
    row(1, { outcome: 'reopened', id: idOf(9) }),
    row(2, { outcome: 'held', id: idOf(8) }),
    row(3, { outcome: 'over' }),
    row(4, { outcome: 'refused', reason: 'record-wrong', detail: 'The script is not that of the record.' }),
    row(5, { outcome: 'later', reason: 'network-away' }),
  ],
  left_out: 2,
  all_found: false,
};
const nothing: TakerRestore = { ...never, state: 'done', started: now - 20, ended: now, providers: done.providers };

describe.skipIf(program === undefined)('swaps that are looked for', () => {
  let fixture: FixturePage;
  const fixtures = (first: TakerRestore, then: unknown = done) => ({
    ...shellFixtures([], false),
    'GET /owner/taker/restore': first,
    'POST /owner/taker/restore': then,
  });

  beforeAll(async () => {
    fixture = await openFixturePage();
  }, 120_000);
  afterAll(() => fixture.close());

  const look = () => fixture.page.getByRole('button', { name: 'Look for my swaps' });
  const says = (text: string | RegExp) => fixture.page.getByText(text).first().waitFor();

  test('who is asked, what came of each record and why, with a link to what goes on here', async () => {
    await fixture.open('restore', fixtures(never));
    await look().click();
    await says('5 swaps known there, 1 goes on here now.');
    const lists = await fixture.page.getByRole('main').getByRole('list').allInnerTexts();
    const [providers, records] = lists.map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect([providers, records]).toEqual([
      expect.stringMatching(/^This node has answered https:\S+ does not answer: look again later$/),
      [
        `Goes on here ${idOf(1)} Open it Was here already ${idOf(2)} Open it Ended, no money of yours is in it ` +
          `${idOf(3)}`,
        `Refused ${idOf(4)} It does not fit your words and the networks, so nothing is done with it.`,
        `The script is not that of the record. Not yet ${idOf(5)} A network that it needs is not connected.`,
        'Connect it, then look again.',
      ].join(' '),
    ]);
    const links = await fixture.page.getByRole('link', { name: 'Open it' }).evaluateAll((all) => all.map(String));
    expect(links.map((link) => new URL(link).hash)).toEqual([`#/swaps/${idOf(9)}`, `#/swaps/${idOf(8)}`]);
    await says('2 more are not listed.');
  }, 60_000);

  test('a named provider alone is asked, by keys, and what the node says against it is read out', async () => {
    await fixture.open('restore', fixtures(never, new Refused(400, 'provider_url must begin with https.')));
    await fixture.page.getByLabel('A provider you swapped with').fill(' https://harbour.example ');
    await fixture.page.keyboard.press('Enter');
    await fixture.page.getByRole('alert').getByText('provider url must begin with https.').waitFor();
    expect(fixture.sent.map(({ body }) => body)).toEqual([{ provider_url: 'https://harbour.example' }]);
  }, 60_000);

  test('where nothing is known, it says what else can be done', async () => {
    await fixture.open('restore', fixtures(nothing));
    await fixture.page.getByRole('heading', { name: 'No swap of yours is known there' }).waitFor();
    expect(await fixture.violations()).toEqual([]);
  }, 60_000);

  test('breaks no rule in either theme, and nothing sticks out of a narrow window', async () => {
    for (const width of [1_280, 320]) {
      await fixture.open('restore', fixtures(done), { width });
      await says('Result of each');
      const wide = await fixture.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([wide, await fixture.violations()]).toEqual([0, []]);
    }
    expect(fixture.complaints.filter((line) => !line.includes('404'))).toEqual([]);
  }, 120_000);
});
