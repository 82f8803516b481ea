// A node that has lost what it knew of the swaps of its owner: the page looks for them, and one that was open is finished.
import { chromium, type Browser, type Page } from '@playwright/test';
import Database from 'better-sqlite3';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildIfNeeded } from '../../main/build.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { ReadyLine } from '../../main/host.ts';
import { program } from './browser.ts';

const root = join(import.meta.dirname, '..', '..');
const patient = { timeout: 120_000 };

describe.skipIf(program === undefined)('looking for swaps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-restore-'));
  let node: ChildProcess;
  let ready: ReadyLine;
  let browser: Browser;
  let page: Page;

  async function start(): Promise<void> {
    node = spawn(
      process.execPath,
      [join(root, 'out', 'main', 'headless.js'), '--sandbox', '--data-dir', folder, '--port', '0'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const first = await Promise.race([
      once(createInterface({ input: node.stdout! }), 'line'),
      once(node, 'exit').then(() => null),
    ]);
    if (first === null) throw new Error('the node ended before it was ready');
    ready = JSON.parse(first[0] as string) as ReadyLine;
  }

  async function stop(): Promise<void> {
    if (node?.exitCode !== null) return;
    node.kill('SIGTERM');
    await once(node, 'exit');
  }

  const token = () => readFileSync(join(folder, 'owner.token'), 'utf8').trim();

  async function call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T | null> {
    const answered = await fetch(new URL(path, ready.url), {
      method,
      headers: {
        authorization: `Bearer ${token()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answered.status === 200 ? ((await answered.json()) as T) : null;
  }

  /** All that the node knows as a client; what it provides stays, for it is its own provider here. */
  function forgetOwnSwaps(): void {
    const db = new Database(join(folder, 'sluice.db'));
    db.exec(`DELETE FROM taker_words; DELETE FROM taker_swaps; DELETE FROM swaps WHERE substr(machine, 1, 5) = 'take-';
             DELETE FROM counters WHERE name = 'taker'; DELETE FROM effects; DELETE FROM preimages;`);
    db.close();
    for (const name of ['taker-high-water', 'taker-high-water.last']) rmSync(join(folder, name), { force: true });
  }

  beforeAll(async () => {
    expect(await buildIfNeeded(root)).toBe(true);
    await start();
    browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--headless'] });
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('an open swap is found from the words alone, and finishes', async () => {
    const order = { direction: 'lightning-arkade', amount_sats: 50_000 };
    let id: string | undefined;
    await expect
      .poll(async () => (id = (await call<{ id: string }>('POST', '/owner/taker/swaps', order))?.id), patient)
      .toBeDefined();
    const before = await call<TakerSwap>('GET', `/owner/taker/swaps/${id}`);
    await stop();
    forgetOwnSwaps();
    await start();

    await page.goto(new URL('#/restore', ready.ui!.url).href);
    await page.getByLabel('Token').fill(token());
    await page.keyboard.press('Enter');
    const look = page.getByRole('button', { name: 'Look for my swaps' });
    const link = page.getByRole('link', { name: 'Open it' });
    // Networks that are not connected yet are no error: one looks again.
    await expect
      .poll(
        async () => {
          if (await link.isVisible()) return true;
          if (await look.isEnabled()) await look.click();
          return link.isVisible();
        },
        { ...patient, interval: 2_000 },
      )
      .toBe(true);
    await page.getByText('1 swap known there', { exact: false }).waitFor();
    await call('POST', '/sandbox/lightning/pay', { bolt11: before?.pay?.text ?? '' });
    await link.click();
    await page.locator('[data-outcome=finished]').waitFor(patient);
  }, 300_000);
});
