// The built node in sandbox mode and a page of it in a browser: what a person sees, and the controls of everybody else.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildIfNeeded } from '../../../main/build.ts';
import type { ReadyLine } from '../../../main/host.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { openNodePage, type NodePage } from './node-page.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** One node and one page for all walks of a file. */
export interface Walk extends Omit<NodePage, 'close'> {
  readonly folder: string;
  /** Owner routes and the sandbox's controls; throws with what was refused. */
  control<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  swap(id: string): Promise<TakerSwap>;
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
  const { close, ...nodePage } = await openNodePage(url, token);

  return {
    folder,
    ...nodePage,
    control,
    swap: (id) => control('GET', `/owner/taker/swaps/${id}`),
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await close();
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
