// The built node in sandbox mode and a page of it in a browser: what a person sees, and the controls of everybody else.
import { chromium, type Browser, type Page } from '@playwright/test';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildIfNeeded } from '../../../main/build.ts';
import type { ReadyLine } from '../../../main/host.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { program } from '../browser.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** One node and one page for all walks of a file. */
export interface Walk {
  readonly folder: string;
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: string[];
  /** Owner routes and the sandbox's controls; throws with what was refused. */
  control<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  swap(id: string): Promise<TakerSwap>;
  goTo(page: string): Promise<void>;
  kill(): Promise<void>;
  /** On the folder and the port that it had before. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWalk(): Promise<Walk> {
  if (!(await buildIfNeeded(root))) throw new Error('the build failed: run "npm run build" to see why');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-walk-'));
  let node: ChildProcess;
  let url = '';

  async function start(): Promise<void> {
    const port = url === '' ? '0' : new URL(url).port;
    const entry = join(root, 'out', 'main', 'headless.js');
    node = spawn(process.execPath, [entry, '--sandbox', '--data-dir', folder, '--port', port], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await Promise.race([
      once(createInterface({ input: node.stdout! }), 'line'),
      once(node, 'exit').then(() => null),
    ]);
    if (line === null) throw new Error('the node ended before it was ready');
    ({ url } = JSON.parse(line[0] as string) as ReadyLine);
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (node.exitCode !== null || node.signalCode !== null) return;
    node.kill(signal);
    await once(node, 'exit');
  }

  async function control<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} is refused with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  await start();
  const token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
  const browser: Browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--headless'] });
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  await page.goto(url);
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Swap', exact: true }).waitFor();

  return {
    folder,
    page,
    complaints,
    control,
    swap: (id) => control('GET', `/owner/taker/swaps/${id}`),
    async goTo(to) {
      // By its address, as a bookmark: the page stays, and with it the token.
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${to}`);
    },
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await browser.close();
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
