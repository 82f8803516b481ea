// A node that has lost what it knew of the swaps of its owner: the page looks for them, and one that was open is
// finished.
import Database from 'better-sqlite3';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../browser.ts';
import { startWalk, type Walk } from './walk.ts';

const patient = { timeout: 120_000 };

describe.skipIf(program === undefined)('swaps of the words', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await startWalk();
  }, 300_000);
  afterAll(() => walk.stop(), 60_000);

  /** All that the node knows as a client; what it provides stays, for it is its own provider here. */
  function forgetOwnSwaps(): void {
    const db = new Database(join(walk.folder, 'sluice.db'));
    db.exec(`DELETE FROM taker_words; DELETE FROM taker_swaps; DELETE FROM swaps WHERE substr(machine, 1, 5) = 'take-';
             DELETE FROM counters WHERE name = 'taker'; DELETE FROM preimages;`);
    db.close();
    for (const name of ['taker-high-water', 'taker-high-water.last']) rmSync(join(walk.folder, name), { force: true });
  }

  test('an open one is found on the page, and finishes', async () => {
    const { page, control } = walk;
    const order = { direction: 'lightning-arkade', amount_sats: 50_000 };
    let id = '';
    const open = () => control<{ id: string }>('POST', '/owner/taker/swaps', order).catch(() => ({ id: '' }));
    await expect.poll(async () => ({ id } = await open()).id, patient).not.toBe('');
    const { pay } = await walk.swap(id);
    await walk.kill();
    forgetOwnSwaps();
    await walk.start();

    await walk.goTo('restore');
    const look = page.getByRole('button', { name: 'Look for my swaps' });
    const link = page.getByRole('link', { name: 'Open it' });
    // Networks that are not connected yet are no error: one looks again.
    await expect
      .poll(
        async () => {
          if (!(await link.isVisible()) && (await look.isEnabled())) await look.click();
          return link.isVisible();
        },
        { ...patient, interval: 2_000 },
      )
      .toBe(true);
    await page.getByText('1 swap known there', { exact: false }).waitFor();
    await control('POST', '/sandbox/lightning/pay', { bolt11: pay?.text ?? '' });
    await link.click();
    await page.locator('[data-outcome=finished]').waitFor(patient);
  }, 400_000);
});
