import { chromium, type Page } from '@playwright/test';
import { program } from '../browser.ts';

/** The page of a node in a browser, as its owner has it open. */
export interface NodePage {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: string[];
  goTo(page: string): Promise<void>;
  close(): Promise<void>;
}

export async function openNodePage(url: string, token: string): Promise<NodePage> {
  const browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--headless'] });
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  await page.goto(url);
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  // A node that is connected to nothing has no form to swap on.
  await page.getByRole('heading', { name: /^(Swap|Nothing can be swapped now)$/ }).waitFor();
  return {
    page,
    complaints,
    async goTo(to) {
      // By its address, as a bookmark: the page stays, and with it the token.
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${to}`)}`);
    },
    close: () => browser.close(),
  };
}
