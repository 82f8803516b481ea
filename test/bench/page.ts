import { chromium, type Browser, type Page } from '@playwright/test';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { startProgram, tokenIn } from '../crash/support/program.ts';
import { program as browserProgram } from '../desktop/browser.ts';
import type { Setting } from './setting.ts';
import { quantiles } from './trace.ts';

const start = fileURLToPath(new URL('../../main/start.ts', import.meta.url));
const aims = { interactive: { p50: 2_000 }, frame: { p95: 34 } };
const many = 50_000;
const steps = 120;
const patienceMs = 60_000;

/** Scrolls a table a screen at a time and notes how long each frame took, in milliseconds. Runs in the browser. */
const scrolling = `(async () => {
  const frame = document.querySelector('.vt');
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const took = [];
  let before = await next();
  for (let step = 0; step < ${steps}; step++) {
    frame.scrollTop = Math.min(frame.scrollHeight, frame.scrollTop + frame.clientHeight);
    const now = await next();
    took.push(now - before);
    before = now;
  }
  return took;
})()`;

/**
 * The page in a real Chromium: from its address to a form that can be filled in, and the list of fifty thousand swaps
 * under way.
 */
export async function page({ folder, size, print }: Pick<Setting, 'folder' | 'size' | 'print'>): Promise<void> {
  if (browserProgram === undefined) return;
  const dataDir = mkdtempSync(join(folder, 'page-'));
  const node = await startProgram(start, ['--sandbox', '--data-dir', dataDir, '--port', '0']);
  if (node === null) throw new Error('npm start did not start');
  const browser = await chromium.launch({ executablePath: browserProgram, args: ['--no-sandbox', '--headless'] });
  const at = { url: node.ready.url, token: tokenIn(dataDir) };
  try {
    const opened: number[] = [];
    for (let i = 0; i < size.starts; i++) opened.push(await open(browser, at, 'swap', (shown) => interactive(shown)));
    print('page', { what: 'interactive, nothing cached', ...quantiles(opened), aim: aims.interactive });
    const record = await create(at);
    let frames: number[] = [];
    await open(
      browser,
      at,
      'activity',
      async (shown) => {
        await shown.getByText('of 50,000 swaps').waitFor();
        frames = await shown.evaluate(scrolling);
      },
      record,
    );
    print('page', { what: `frames of a list of ${many} as it scrolls`, ...quantiles(frames), aim: aims.frame });
  } finally {
    await browser.close();
    await node.stop();
  }
}

interface Owned {
  readonly url: string;
  readonly token: string;
}

/** Milliseconds from the address to what `until` waits for. A browser that has seen nothing of it before. */
async function open(
  browser: Browser,
  { url, token }: Owned,
  hash: string,
  until: (page: Page) => Promise<unknown>,
  record: TakerSwap | null = null,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  context.setDefaultTimeout(patienceMs);
  await context.addInitScript(`sessionStorage.setItem('sluice.owner-token', '${token}')`);
  if (record !== null)
    await context.route(/\/owner\/taker\/swaps\?/, (route, request) => {
      const from = Number(new URL(request.url()).searchParams.get('cursor') ?? 0);
      const limit = Number(new URL(request.url()).searchParams.get('limit') ?? 50);
      const swaps = Array.from({ length: limit }, (_, i) => ({
        ...record,
        id: `${record.id.slice(0, -12)}${String(from + i).padStart(12, '0')}`,
      }));
      const counts = { all: many, open: 0, needs_you: 0, finished: many, returned: 0 };
      return route.fulfill({ json: { swaps, next_cursor: String(from + limit), counts } });
    });
  const shown = await context.newPage();
  const begun = performance.now();
  await shown.goto(`${url}/#/${hash}`);
  await until(shown);
  const took = performance.now() - begun;
  await context.close();
  return took;
}

const interactive = (shown: Page) => shown.getByRole('button', { name: /^Review and pay [\d,.]+ / }).waitFor();

/** A swap of the node's own, as soon as its networks take one. */
async function create({ url, token }: Owned): Promise<TakerSwap> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ direction: 'lightning-arkade', amount_sats: 25_000 });
  for (;;) {
    const made = await fetch(new URL('/owner/taker/swaps', url), { method: 'POST', headers, body });
    const { id } = (await made.json()) as { id?: string };
    if (made.status === 200 && id !== undefined)
      return (await (await fetch(new URL(`/owner/taker/swaps/${id}`, url), { headers })).json()) as TakerSwap;
    await pause(500);
  }
}
