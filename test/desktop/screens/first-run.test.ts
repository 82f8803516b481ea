import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { playBridge, seedWords } from './bridge.ts';
import { openFixturePage, type FixturePage } from './fixture-page.ts';

describe.skipIf(program === undefined)('the first run', () => {
  let fixture: FixturePage;

  beforeAll(async () => {
    fixture = await openFixturePage();
    await playBridge(fixture.page.context());
  }, 120_000);
  afterAll(() => fixture.close());

  const press = (name: string | RegExp) => fixture.page.getByRole('button', { name }).click();
  const heading = (name: string | RegExp) => fixture.page.getByRole('heading', { level: 1, name }).waitFor();
  const fill = (label: string, text: string) => fixture.page.getByLabel(label, { exact: true }).fill(text);
  const calls = () => fixture.page.evaluate(() => (window as unknown as { sluice: { calls: unknown } }).sluice.calls);

  test('makes keys: words on paper, read back from it, and locked', async () => {
    await fixture.open('', {});
    await heading(/^Swap between/);
    expect(await fixture.violations()).toEqual([]);
    await press(/^Create new keys/);
    await heading('Write these twelve words on paper');
    await fixture.page.getByText('harbor').waitFor();
    expect(await fixture.page.getByRole('list', { name: 'Your words' }).getByRole('listitem').allInnerTexts()).toEqual(
      seedWords,
    );
    expect(await fixture.violations()).toEqual([]);
    await press('I have written them down');

    await heading('Check your paper: words 3, 7 and 11');
    expect(await fixture.page.getByText('harbor').count()).toBe(0);
    await fill('Word 3', 'tunnel');
    await fill('Word 7', 'lader');
    await fill('Word 11', 'famous');
    await press('Confirm the backup');
    await fixture.page.getByText('“lader” is not in the word list. Close to it: ladder.').waitFor();
    await fixture.page.getByText('That is not the word of your paper.').waitFor();
    expect(await fixture.violations()).toEqual([]);
    await fill('Word 7', 'ladder');
    await fill('Word 11', 'echo');
    await press('Confirm the backup');

    await heading('Lock this computer’s copy');
    await fixture.page.getByLabel(/^A passphrase/).check();
    await fill('Passphrase', 'too short');
    await fill('The same again', 'too short');
    await press('Open Sluice');
    await fixture.page.getByText('The passphrase is too short. It needs at least 12 characters.').waitFor();
    expect(await fixture.violations()).toEqual([]);
    await fill('Passphrase', 'long enough for it');
    await fill('The same again', 'long enough for it');
    await press('Open Sluice');
    await heading('Sluice is starting');
    const made = (await calls()) as [string, unknown][];
    expect(made.map(([name]) => name).filter((name) => name !== 'show')).toEqual([
      'choose',
      'make',
      'verify',
      'verify',
      'lock',
      'lock',
      'setStartAtLogin',
    ]);
    expect(made.at(-2)?.[1]).toEqual({ keychain: true, passphrase: 'long enough for it' });
    const stored = await fixture.page.evaluate(() => JSON.stringify([localStorage, location.href]));
    expect(seedWords.some((word) => stored.includes(word))).toBe(false);
  }, 60_000);

  test('restores from words, and says how many there are when some are missing', async () => {
    await fixture.open('', {});
    await press(/^Restore from words/);
    await heading('Restore from your words');
    await fill('Twelve or twenty-four words', seedWords.slice(1).join(' '));
    await press('Continue');
    await fixture.page.getByText('There must be twelve or twenty-four words. These are 11 words.').waitFor();
    expect(await fixture.violations()).toEqual([]);
    await fill('Twelve or twenty-four words', seedWords.join(' '));
    await press('Continue');
    await heading('Lock this computer’s copy');
  }, 30_000);

  test('lets the sandbox be tried with nothing to write down', async () => {
    await fixture.open('', {});
    await press(/^Try it with play money first/);
    await fixture.page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('asks for the passphrase at a later start, and compares the paper at any time', async () => {
    const context = fixture.page.context();
    await playBridge(context, { chosen: true, network: 'mainnet', seed: 'sealed', ways: ['passphrase'], node: 'off' });
    await fixture.open('', {});
    await heading('Unlock your keys');
    await fill('Passphrase', 'wrong and long');
    await press('Unlock');
    await fixture.page.getByText('That is not the passphrase of these keys.').waitFor();
    await playBridge(context, { chosen: true, network: 'mainnet', seed: 'open', ways: ['passphrase'] });
    await fixture.open('backup', {});
    await fill('Twelve or twenty-four words', seedWords.toReversed().join(' '));
    await fixture.page.getByLabel('Passphrase of the keys').first().fill('right and long');
    await press('Compare');
    await fixture.page.getByText('These words are not those of this computer.').waitFor();
    await fill('Twelve or twenty-four words', seedWords.join(' '));
    await press('Compare');
    await fixture.page.getByText('Your paper is right').waitFor();
    expect(await fixture.violations()).toEqual([]);
  }, 30_000);
});
