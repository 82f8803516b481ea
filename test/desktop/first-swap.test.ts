// A person's first minutes in a real browser: the page of the headless node, the token, a swap in each direction, one
// that comes back, and nobody shut out on the way.
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxWorld } from '../../engine/contract/sandbox.ts';
import type { ReadyLine } from '../../main/ready.ts';
import { booksApart } from '../stories/client/books.ts';
import type { Json } from '../stories/client/http.ts';
import { npmStart } from '../support/npm-start.ts';
import { program } from './browser.ts';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** A newcomer's patience, from the running node to the finished swap. */
const patienceMs = 120_000;
const settledMs = 300;

describe.skipIf(program === undefined)('the first swap', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-walk-'));
  const complaints: string[] = [];
  let node: ChildProcess;
  let ready: ReadyLine;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    node = spawn(process.execPath, [...npmStart.arguments, '--data-dir', folder, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...npmStart.environment },
    });
    const first = await Promise.race([
      once(createInterface({ input: node.stdout! }), 'line'),
      once(node, 'exit').then(() => null),
    ]);
    if (first === null) throw new Error('the node ended before it was ready');
    ready = JSON.parse(first[0] as string) as ReadyLine;
    browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--headless'] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    page = await context.newPage();
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

  /** What shuts somebody out of what is on the screen now, in the theme and at the width that it has. */
  async function breaches(): Promise<string[]> {
    // Colours that are still on their way to another theme are nobody's colours.
    await page.waitForTimeout(settledMs);
    const { violations } = await new AxeBuilder({ page }).withTags(rules).analyze();
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
  }

  /** The same in the dark and at the width of a phone, where nothing may stick out either. */
  async function breachesEverywhere(): Promise<string[]> {
    const light = await breaches();
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    const dark = await breaches();
    await page.setViewportSize({ width: 360, height: 800 });
    const narrow = await breaches();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    return [...light, ...dark, ...narrow, ...(wide > 0 ? [`${wide} px stick out at 360 px`] : [])];
  }

  async function pick(side: string, network: string): Promise<void> {
    await page.getByRole('combobox', { name: new RegExp(`^${side}`) }).click();
    await page.getByRole('option', { name: new RegExp(network) }).click();
  }

  async function control(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
    const answered = await fetch(new URL(path, ready.url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answered.status).toBe(200);
    return answered.json();
  }

  async function payInSandbox(): Promise<void> {
    await page.getByRole('button', { name: /^Review and pay [\d,.]+ (sats|USDC)$/ }).click();
    await page.getByRole('button', { name: /^Make it, then pay / }).click();
    await page.locator('[data-phase=pay]').waitFor({ timeout: 60_000 });
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    await page.getByRole('button', { name: /^Pay from the sandbox/ }).click();
  }

  test('asks for the token, and a wrong one is refused in words', async () => {
    await page.goto(ready.ui!.url);
    await page.getByLabel('Token').fill('0'.repeat(64));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('The server here does not know that token.');
    // It never left: the server showed no token to begin with.
    expect([await breachesEverywhere(), complaints]).toEqual([[], []]);
  }, 60_000);

  test('with the token a newcomer finishes a swap from Lightning in less than two minutes', async () => {
    const started = performance.now();
    const token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Swap', exact: true }).waitFor({ timeout: 60_000 });
    await pick('You give', 'Lightning');
    await payInSandbox();
    await page.locator('[data-outcome=finished]').waitFor({ timeout: 60_000 });
    expect(performance.now() - started).toBeLessThan(patienceMs);
    const places = await page.evaluate(() => [location.href, JSON.stringify(localStorage), document.cookie].join(' '));
    expect([places.includes(token), await breachesEverywhere()]).toEqual([false, []]);
  }, 150_000);

  test('the own wallet pays an invoice from Arkade, and the page says where, how much and what comes back', async () => {
    await page.getByRole('link', { name: 'Swap again' }).click();
    await pick('You give', 'Arkade');
    await page.getByRole('button', { name: 'Take an invoice of the sandbox’s wallet' }).click();
    await page.getByText(/^Lightning invoice over/).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: /^Review and pay [\d,.]+ (sats|USDC)$/ }).waitFor({ timeout: 60_000 });
    const onForm = await breachesEverywhere();
    await page.getByRole('button', { name: /^Review and pay [\d,.]+ (sats|USDC)$/ }).click();
    await page.getByRole('button', { name: /^Make it, then pay / }).click();
    await page.locator('[data-phase=pay]').waitFor({ timeout: 60_000 });
    expect((await page.getByTestId('pay-text').innerText()).replaceAll(/\s/g, '')).toMatch(/^tark1/);
    await page.getByText(/refundable from .* with nobody’s help/).waitFor();
    const onFunding = await breachesEverywhere();
    await page.getByText(/^Your wallet on this node holds [\d,]+ sats\.$/).waitFor();
    await page.getByRole('button', { name: 'Pay from your wallet' }).click();
    await page.locator('[data-outcome=finished]').waitFor({ timeout: 60_000 });
    expect([onForm, onFunding]).toEqual([[], []]);
  }, 150_000);

  async function payAnInvoice(): Promise<void> {
    await page.getByRole('link', { name: 'Swap', exact: true }).click();
    await pick('You give', 'Arkade');
    await page.getByRole('button', { name: 'Take an invoice of the sandbox’s wallet' }).click();
    await payInSandbox();
  }

  test('a payment that fails brings everything back, and the page says so', async () => {
    await control('POST', '/sandbox/lightning/fault', { next_payment: 'fails' });
    await payAnInvoice();
    await page.locator('[data-outcome=returned]').waitFor({ timeout: 60_000 });
    await page.getByRole('heading', { name: /^Your [\d,]+ sats are back$/ }).waitFor();
    expect(await breachesEverywhere()).toEqual([]);
  }, 150_000);

  test('a payment that hangs is in flight: nobody pays twice, and the date of the refund stays in sight', async () => {
    await control('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
    await payAnInvoice();
    await page.getByRole('heading', { name: 'In flight. Do not pay again.' }).waitFor({ timeout: 60_000 });
    await page.getByText(/^Your money is safe.* with nobody’s help/).waitFor();
    await page.getByText(/sats in flight$/).waitFor();
    expect(await breachesEverywhere()).toEqual([]);
  }, 150_000);

  test('asked back in flight the provider does not sign; once the payment failed, all of it is back', async () => {
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('The provider was asked and did not sign.').first().waitFor({ timeout: 60_000 });
    const { faults } = (await control('GET', '/sandbox')) as SandboxWorld;
    for (const payment_hash of faults?.hanging ?? [])
      await control('POST', '/sandbox/lightning/release', { payment_hash, outcome: 'fails' });
    // Asked again at once instead of after the pause that the node takes; the button goes when it is under way.
    const again = async () => {
      await page
        .getByRole('button', { name: 'Take it back' })
        .click({ timeout: 500 })
        .catch(() => undefined);
      return page.locator('[data-outcome]').getAttribute('data-outcome');
    };
    await expect.poll(again, { timeout: 40_000, interval: 1_000 }).toBe('returned');
    await page.getByRole('heading', { name: /^Your [\d,]+ sats are back$/ }).waitFor();
  }, 120_000);

  test('on-chain bitcoin becomes sats on Arkade, and those dollars of an exchange on an EVM chain', async () => {
    await page.getByRole('link', { name: 'Swap', exact: true }).click();
    await pick('You give', 'Bitcoin');
    await payInSandbox();
    await page.locator('[data-outcome=finished]').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Swap again' }).click();
    await pick('You give', 'Arkade');
    await pick('You get', 'USDC Polygon');
    await page.getByText(/^At least [\d.]+ USDC/).waitFor();
    await page.getByRole('button', { name: 'Take an address of the sandbox' }).click();
    await page.getByText('Address, to be paid on Polygon').waitFor();
    await payInSandbox();
    await page.locator('[data-outcome=finished]').waitFor({ timeout: 60_000 });
    await page.getByRole('heading', { name: /USDC$/ }).waitFor();
    expect(await breachesEverywhere()).toEqual([]);
  }, 180_000);

  test('dollars of an EVM chain pay an invoice: the page says how many at most', async () => {
    await page.getByRole('link', { name: 'Swap again' }).click();
    await pick('You give', 'USDC Polygon');
    await pick('You get', 'Lightning');
    await page.getByRole('button', { name: 'Take an invoice of the sandbox’s wallet' }).click();
    await page.getByText(/^At most [\d.,]+ USDC; the rest stays yours$/).waitFor();
    await page.getByRole('button', { name: /^Review and pay / }).click();
    await page
      .getByText(/At most [\d.,]+ USDC/)
      .first()
      .waitFor();
    await page.getByText(/as the bitcoin token that the exchange made of it$/).waitFor();
    expect(await breachesEverywhere()).toEqual([]);
    await page.getByRole('button', { name: 'Change it' }).click();
    await payInSandbox();
    await page.locator('[data-outcome=finished]').waitFor({ timeout: 90_000 });
  }, 180_000);

  test('nothing was blocked or broken on the way, and the books say what the networks say', async () => {
    expect(complaints).toEqual([]);
    expect(await booksApart(async () => (await control('GET', '/owner/accounts')) as Json)).toEqual([]);
  });
});
