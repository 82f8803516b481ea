import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { booksApart } from './client/books.ts';
import { ask, send, text, whole, type Json, type Method, type Reply } from './client/http.ts';
import { openClient, type Client, type Swap } from './client/client.ts';

/**
 * A headless node, in sandbox mode unless told otherwise, in processes of its own, on a folder that goes with it:
 *
 *     const node = await startWireNode();      // once per file: it takes a few seconds
 *     const client = await node.client();
 *     ...
 *     await node.stop();
 */
export interface WireNode {
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  /** Everything that the node wrote to its streams, over all its lives. */
  readonly out: string[];
  readonly log: string[];
  client(): Promise<Client>;
  get(path: string): Promise<Json>;
  raw(method: 'GET' | 'POST', path: string, body?: Json): Promise<Reply>;
  /** Owner routes and the sandbox's controls. */
  owner(method: Method, path: string, body?: Json): Promise<Json>;
  now(): Promise<number>;
  advance(seconds: number): Promise<void>;
  /** To a moment, in unix seconds. */
  advanceTo(time: number): Promise<void>;
  faucet(address: string, amount: number): Promise<string>;
  invoice(sats: number, options?: Json): Promise<{ bolt11: string; hash: string }>;
  pay(bolt11: string): Promise<string>;
  payment(hash: string): Promise<string>;
  /** Resolves once the swap has the status; rejects with where it is after the patience. */
  until(swap: Pick<Swap, 'id'>, status: string, patienceMs?: number): Promise<Json>;
  restart(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  /** What keeps the books and a network apart to the end. */
  booksDiffer(reason: string): void;
  /** Rejects where it lives, is not paused, and its books say anything else than the networks, and nobody said why. */
  stop(): Promise<void>;
}

const headless = join(import.meta.dirname, '..', '..', 'main', 'headless.ts');

export interface WireNodeOptions {
  /** The program and its flags; the headless node in its sources unless told otherwise. */
  readonly program?: readonly string[];
  /** Another Node than that of the tests. */
  readonly executable?: string;
  /** Flags that say which networks it has. */
  readonly mode?: readonly string[];
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Told of every process that is started. */
  readonly onStart?: (child: ChildProcess) => void;
}

export async function startWireNode(options: WireNodeOptions = {}): Promise<WireNode> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'sluice-wire-'));
  const out: string[] = [];
  const log: string[] = [];
  let child: ChildProcess;
  let ended: Promise<unknown>;
  let url = '';
  let token = '';
  let why: string | null = null;

  async function start(): Promise<void> {
    const process_ = spawn(
      options.executable ?? process.execPath,
      [
        ...(options.program ?? [headless]),
        ...(options.mode ?? ['--sandbox']),
        '--data-dir',
        folder,
        '--port',
        '0',
        ...(options.args ?? []),
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...options.environment },
      },
    );
    child = process_;
    options.onStart?.(process_);
    ended = once(process_, 'close');
    createInterface({ input: process_.stderr }).on('line', (line) => log.push(line));
    const lines = createInterface({ input: process_.stdout });
    lines.on('line', (line) => out.push(line));
    const [first] = (await Promise.race([once(lines, 'line'), ended.then(() => [null])])) as [string | null];
    if (first === null) throw new Error(`the node ended: ${log.slice(-10).join('\n')}`);
    url = (JSON.parse(first) as { url: string }).url;
    token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
  }

  async function kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  }

  function owner(method: Method, path: string, body?: Json): Promise<Json> {
    return ask(url, method, path, body, { authorization: `Bearer ${token}` });
  }

  async function now(): Promise<number> {
    return whole(await owner('GET', '/sandbox'), 'clock');
  }

  async function advance(seconds: number): Promise<void> {
    await owner('POST', '/sandbox/clock/advance', { seconds });
  }

  /** A node that is down or paused may be in the midst of finding out what its books lack. */
  async function unexplained(): Promise<readonly string[]> {
    if (why !== null || child.exitCode !== null || child.signalCode !== null) return [];
    if ((await owner('GET', '/owner/status'))['paused'] !== null) return [];
    return booksApart(() => owner('GET', '/owner/accounts'));
  }

  await start();
  return {
    folder,
    get url() {
      return url;
    },
    get token() {
      return token;
    },
    out,
    log,
    async client() {
      return openClient(url, text((await owner('GET', '/sandbox'))['arkade'] as Json, 'url'));
    },
    get: (path) => ask(url, 'GET', path),
    raw: (method, path, body) => send(url, method, path, body),
    owner,
    now,
    advance,
    async advanceTo(time) {
      await advance(Math.max(1, time - (await now())));
    },
    async faucet(address, amount) {
      const { txid, vout } = await owner('POST', '/sandbox/arkade/faucet', { address, amount });
      return `${String(txid)}:${String(vout)}`;
    },
    async invoice(sats, more = {}) {
      const answer = await owner('POST', '/sandbox/lightning/invoice', { amount_sats: sats, ...more });
      return { bolt11: text(answer, 'bolt11'), hash: text(answer, 'payment_hash') };
    },
    async pay(bolt11) {
      return text(await owner('POST', '/sandbox/lightning/pay', { bolt11 }), 'payment_hash');
    },
    async payment(hash) {
      return text(await owner('GET', `/sandbox/lightning/payments/${hash}`), 'state');
    },
    async until(swap, status, patienceMs = 60_000) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const record = await ask(url, 'GET', `/swap/${swap.id}`);
        if (record['status'] === status) return record;
        if (performance.now() > deadline) {
          const { at, journal } = await owner('GET', `/owner/swaps/${swap.id}`);
          throw new Error(
            `the swap is ${String(record['status'])} (${String(at)}), not ${status}: ` +
              `${JSON.stringify(journal)}\n${log.slice(-6).join('\n')}`,
          );
        }
        await pause(25);
      }
    },
    kill,
    start,
    async restart(signal = 'SIGTERM') {
      await kill(signal);
      await start();
    },
    booksDiffer(reason) {
      why = reason;
    },
    async stop() {
      let apart: readonly string[];
      try {
        apart = await unexplained();
      } finally {
        await kill('SIGTERM');
      }
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
      if (apart.length > 0) throw new Error(`the books do not agree: ${apart.join(', ')}`);
    },
  };
}

/**
 * Waits until swaps from the one place to the other are begun: what a chain costs is read anew when its clock was
 * moved.
 */
export async function offered(node: Pick<WireNode, 'get'>, source: string, target: string): Promise<void> {
  await eventually(
    () => node.get('/swap-pairs'),
    ({ pairs }) => (pairs as Json[]).some((pair) => pair['source'] === source && pair['target'] === target),
    60_000,
  );
}

/** Asks until the answer passes; rejects with the last one. */
export async function eventually<T>(
  read: () => Promise<T>,
  test: (value: T) => boolean,
  patienceMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (test(value)) return value;
    if (performance.now() > deadline) throw new Error(`it is still ${inspect(value, { depth: 6 })}`);
    await pause(50);
  }
}
