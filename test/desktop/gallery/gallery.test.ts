// Every part of the page in a real browser: nobody is shut out by it, in both themes, and at the width of a phone.
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type Page } from '@playwright/test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, mergeConfig, preview, type PreviewServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { page as pageConfig } from '../../../electron.vite.config.ts';
import { program } from '../browser.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const outDir = join(root, '.cache', 'gallery', 'page');
const shots = join(root, '.cache', 'gallery', 'shots');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

describe.skipIf(program === undefined)('the gallery', () => {
  const complaints: string[] = [];
  let server: PreviewServer;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(shots, { recursive: true });
    const config = mergeConfig(pageConfig, {
      configFile: false,
      logLevel: 'error',
      root: import.meta.dirname,
      build: { outDir, rolldownOptions: { input: { index: join(import.meta.dirname, 'index.html') } } },
    });
    // The page's own entries are not part of the gallery.
    config.build.rolldownOptions.input = { index: join(import.meta.dirname, 'index.html') };
    await build(config);
    server = await preview({ ...config, preview: { host: '127.0.0.1', port: 0 } });
    browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--headless'] });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  async function opened(look: { colorScheme: 'light' | 'dark'; width: number; forced?: boolean }): Promise<Page> {
    const context = await browser.newContext({
      colorScheme: look.colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: look.width, height: 900 },
      ...(look.forced === true ? { forcedColors: 'active' as const } : {}),
    });
    const page = await context.newPage();
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => void complaints.push(error.message));
    await page.goto(server.resolvedUrls!.local[0]!);
    await page.getByRole('heading', { name: 'Gallery' }).waitFor();
    await page.getByRole('status').getByText('Loading…').waitFor({ state: 'attached' });
    return page;
  }

  async function breaches(page: Page, ...not: string[]): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page }).withTags(rules).disableRules(not).analyze();
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
  }

  test.each([
    { name: 'light', colorScheme: 'light', width: 1280 },
    { name: 'dark', colorScheme: 'dark', width: 1280 },
    { name: 'narrow', colorScheme: 'light', width: 360 },
    { name: 'forced', colorScheme: 'dark', width: 1280, forced: true },
  ] as const)('no part shuts anybody out: $name', async (look) => {
    const page = await opened(look);
    await page.screenshot({ path: join(shots, `${look.name}.png`), fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    // Forced colours are the system's own: their contrast is not the page's to keep.
    const breached = await breaches(page, ...(look.name === 'forced' ? ['color-contrast'] : []));
    expect([breached, wide <= 0, complaints.splice(0)]).toEqual([[], true, []]);
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)('what lies above the page shuts nobody out either: %s', async (colorScheme) => {
    const page = await opened({ colorScheme, width: 1280 });
    await page.getByRole('combobox', { name: /You give on/ }).click();
    await page.getByRole('option', { name: /Lightning/ }).waitFor();
    await page.screenshot({ path: join(shots, `picker-${colorScheme}.png`) });
    // What floats lies outside the landmarks, as its button says.
    const inPicker = await breaches(page, 'region');
    await page.getByRole('option', { name: /Lightning/ }).click();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await page.screenshot({ path: join(shots, `dialog-${colorScheme}.png`) });
    const inDialog = await breaches(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Ask');
    expect([inPicker, inDialog, complaints.splice(0)]).toEqual([[], [], []]);
    await page.context().close();
  });

  test('of fifty thousand rows only those in sight are drawn, and the count is said', async () => {
    const page = await opened({ colorScheme: 'light', width: 1280 });
    const table = page.getByRole('table', { name: 'Many' });
    expect(await table.getAttribute('aria-rowcount')).toBe('50001');
    expect(await table.getByRole('row').count()).toBeLessThan(60);
    await page.context().close();
  });
});
