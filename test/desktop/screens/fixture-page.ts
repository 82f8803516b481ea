import AxeBuilder from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { expect, inject } from 'vitest';
import { WebSocketServer } from 'ws';
import { fileHeaders, readFiles } from '../../../engine/api/files.ts';
import { tokenProof } from '../../../engine/domain/token-proof.ts';
import { program } from '../browser.ts';

/**
 * Answers of a node by method and path, `GET /owner/status`; a function sees the body and the query, and may take its
 * time.
 */
export type Fixtures = Readonly<Record<string, unknown>>;

/** A refusal as the node sends it. */
export class Refused {
  readonly status: number;
  readonly error: string;

  constructor(status: number, error: string) {
    this.status = status;
    this.error = error;
  }
}

interface Sent {
  readonly route: string;
  readonly body: unknown;
}

/** The built page before a node of fixtures: what it shows and what it sends, without a node. */
export interface FixturePage {
  readonly page: Page;
  /** What was sent to change something, in order. */
  readonly sent: Sent[];
  /** Errors that the browser complained about. */
  readonly complaints: string[];
  open(route: string, fixtures: Fixtures, look?: { theme?: 'light' | 'dark'; width?: number }): Promise<void>;
  /**
   * Rules of WCAG 2.2 AA that the page as it stands breaks, in both themes; each is photographed for who looks at it
   * later.
   */
  violations(): Promise<string[]>;
  /** What the focus is on after each press of Tab, from the top of the page on. */
  tabStops(most: number): Promise<string[]>;
  close(): Promise<void>;
}

const ownerToken = 'f'.repeat(64);

function proof(_body: unknown, query: URLSearchParams): unknown {
  return { proof: tokenProof(ownerToken, query.get('nonce') ?? '', query.get('origin') ?? '') };
}

/** Pictures of every screen as the tests saw it, named by file, test and theme; made anew by each run. */
const shots = join(import.meta.dirname, '..', '..', '..', '.cache', 'screens');

/** Colours that are still on their way from one theme to the other are nobody's. */
async function settledColours(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const moving = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
  await Promise.allSettled(moving.map(({ finished }) => finished));
}

export async function openFixturePage(): Promise<FixturePage> {
  const folder = inject('page');
  const files = readFiles(folder);
  const sent: Sent[] = [];
  const complaints: string[] = [];
  let fixtures: Fixtures = {};

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://fixtures');
      const file = request.method === 'GET' ? files.get(url.pathname) : undefined;
      if (file !== undefined) return void response.writeHead(200, fileHeaders(file)).end(file.bytes);
      const body = await bodyOf(request);
      const route = `${request.method} ${decodeURIComponent(url.pathname)}`;
      if (request.method !== 'GET') sent.push({ route, body });
      const given = route === 'GET /proof' ? proof : fixtures[route];
      const answer: unknown =
        typeof given === 'function'
          ? await (given as (body: unknown, query: URLSearchParams) => unknown)(body, url.searchParams)
          : given;
      const refused = answer === undefined ? new Refused(404, `No fixture for ${route}.`) : answer;
      const [status, reply] = refused instanceof Refused ? [refused.status, { error: refused.error }] : [200, answer];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    })();
  });
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}/`;

  const browser: Browser = await chromium.launch({
    executablePath: program!,
    args: ['--no-sandbox', '--headless'],
  });
  const context: BrowserContext = await browser.newContext({ timezoneId: 'UTC', reducedMotion: 'reduce' });
  await context.addInitScript((token) => {
    if (location.protocol === 'http:') sessionStorage.setItem('sluice.owner-token', token);
  }, ownerToken);
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));

  mkdirSync(shots, { recursive: true });
  const counts = new Map<string, number>();
  function shotOf(theme: string): string {
    const { testPath = '', currentTestName = '' } = expect.getState();
    const name = `${basename(testPath, '.test.ts')}--${currentTestName}`
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .slice(0, 120);
    const times = (counts.get(`${name}${theme}`) ?? 0) + 1;
    counts.set(`${name}${theme}`, times);
    return join(shots, `${name}${times === 1 ? '' : `-${times}`}-${theme}.png`);
  }

  return {
    page,
    sent,
    complaints,
    async open(route, answers, { theme = 'light', width = 1_280 } = {}) {
      fixtures = answers;
      sent.splice(0);
      complaints.splice(0);
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto('about:blank');
      await page.goto(`${base}#/${route}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    async violations() {
      const broken: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(settledColours);
        await page.screenshot({ path: shotOf(colorScheme), fullPage: true });
        const { violations } = await new AxeBuilder({ page })
          .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
          .analyze();
        for (const { id, nodes } of violations)
          broken.push(...nodes.map(({ html }) => `${colorScheme} ${id}: ${html}`));
      }
      return broken;
    },
    async tabStops(most) {
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      const stops: string[] = [];
      for (let i = 0; i < most; i++) {
        await page.keyboard.press('Tab');
        const name = await page.evaluate(() => {
          const at = document.activeElement as HTMLElement | null;
          const labels = (at as HTMLInputElement | null)?.labels;
          return at?.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? at?.textContent ?? '';
        });
        stops.push(name.trim());
      }
      return stops;
    },
    async close() {
      await browser.close();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  return text === '' ? null : JSON.parse(text);
}
