// What `npm start` starts and a page of it in a browser: what a person sees, and the controls of everybody else.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ReadyLine } from '../../../main/ready.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { booksApart } from '../../stories/client/books.ts';
import { npmStart } from '../../support/npm-start.ts';
import { openNodePage, type NodePage } from './node-page.ts';

/** One node and one page for all walks of a file. */
export interface Walk extends Omit<NodePage, 'close'> {
  readonly folder: string;
  /** Owner routes and the sandbox's controls; throws with what was refused. */
  control<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  swap(id: string): Promise<TakerSwap>;
  /**
   * From now on, until the node starts again, blocks come on request alone: for what waits for one and shall not have
   * it.
   */
  holdBlocks(): Promise<void>;
  kill(): Promise<void>;
  /** On the folder and the port that it had before. */
  start(): Promise<void>;
  /** Rejects where the node lives and its books say anything else than the networks. */
  stop(): Promise<void>;
}

export async function startWalk(): Promise<Walk> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-walk-'));
  let node: ChildProcess;
  let url = '';

  async function start(): Promise<void> {
    const port = url === '' ? '0' : new URL(url).port;
    node = spawn(process.execPath, [...npmStart.arguments, '--data-dir', folder, '--port', port], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...npmStart.environment },
    });
    const line = await Promise.race([
      once(createInterface({ input: node.stdout! }), 'line'),
      once(node, 'exit').then(() => null),
    ]);
    if (line === null) throw new Error('the node ended before it was ready');
    ({ url } = JSON.parse(line[0] as string) as ReadyLine);
  }

  const isAlive = (): boolean => node.exitCode === null && node.signalCode === null;

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!isAlive()) return;
    const ended = once(node, 'exit');
    // Nothing passes this one on: the node itself is told, and what started it ends with it.
    if (signal === 'SIGKILL') process.kill(Number(readFileSync(join(folder, 'sluice.pid'), 'utf8')), signal);
    else node.kill(signal);
    await ended;
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
    holdBlocks: () => control('POST', '/sandbox/bitcoin/mine', { auto_seconds: null }),
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await close();
      let apart: readonly string[] = [];
      try {
        if (isAlive()) apart = await booksApart(() => control('GET', '/owner/accounts'));
      } finally {
        await end('SIGTERM');
        rmSync(folder, { recursive: true, force: true });
      }
      if (apart.length > 0) throw new Error(`the books do not agree: ${apart.join(', ')}`);
    },
  };
}
