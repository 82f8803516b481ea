// A person's first minutes in a real browser: the page of the headless node, the token, the health, a swap in each direction.
import { chromium, type Browser, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildIfNeeded } from '../../main/build.ts';
import type { ReadyLine } from '../../main/host.ts';

const root = join(import.meta.dirname, '..', '..');
const browsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  chromium.executablePath(),
];
const program = browsers.find((path) => existsSync(path));
if (program === undefined)
  console.warn(`SKIPPED: the walk through the page needs a browser, and none of these is here: ${browsers.join(', ')}`);

describe.skipIf(program === undefined)('the first swap', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-walk-'));
  const complaints: string[] = [];
  let node: ChildProcess;
  let ready: ReadyLine;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    expect(await buildIfNeeded(root)).toBe(true);
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
    browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--headless'] });
    page = await browser.newPage();
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => void complaints.push(error.message));
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    if (node?.exitCode === null) {
      node.kill('SIGTERM');
      await once(node, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('asks for the token, and a wrong one is refused in words', async () => {
    await page.goto(ready.ui!.url);
    await page.getByLabel('Token').fill('0'.repeat(64));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('That is not the token of this node.');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  }, 30_000);

  test('opens with the token of the data folder, and keeps it out of the address and lasting storage', async () => {
    const token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Running' }).waitFor({ timeout: 20_000 });
    for (const network of ['arkade', 'lightning', 'bitcoin'])
      await page
        .getByText(new RegExp(`^${network}.*connected`, 'i'))
        .first()
        .waitFor({ timeout: 20_000 });
    const places = await page.evaluate(() => [location.href, JSON.stringify(localStorage), document.cookie].join(' '));
    expect(places.includes(token)).toBe(false);
  }, 60_000);

  test('starts a swap from Lightning, shows its QR code, and ends with the coins on Arkade', async () => {
    await page.getByRole('radio', { name: 'Lightning to Arkade' }).check();
    await page.getByRole('button', { name: 'Start the swap' }).click();
    await page.getByRole('img', { name: 'QR code of the invoice' }).waitFor({ timeout: 20_000 });
    expect(await page.getByRole('textbox', { name: 'Invoice' }).inputValue()).toMatch(/^lnbcrt/);
    await page.getByRole('button', { name: 'Pay from the sandbox wallet' }).click();
    await page.locator('[data-taker-status=finished]').waitFor({ timeout: 60_000 });
  }, 90_000);

  test('starts a swap from Arkade, funds its address from the faucet and ends with the invoice paid', async () => {
    await page.getByRole('radio', { name: 'Arkade to Lightning' }).check();
    await page.getByRole('button', { name: 'Start the swap' }).click();
    await page.getByRole('img', { name: 'QR code of the Arkade address' }).waitFor({ timeout: 20_000 });
    expect(await page.getByLabel(/^Arkade address/).inputValue()).toMatch(/^tark1/);
    await page.getByRole('button', { name: 'Fund from the sandbox faucet' }).click();
    await expect.poll(() => page.locator('[data-taker-status=finished]').count(), { timeout: 60_000 }).toBe(2);
  }, 90_000);

  test('nothing was blocked or broken on the way', () => {
    expect(complaints).toEqual([]);
  });
});
