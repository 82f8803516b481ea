import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded } from '../../../main/build.ts';
import type { SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { readEndpoints } from '../../support/sandbox-endpoints.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The built programs, in a copy that a later build does not change while they run. */
export interface Built {
  readonly headless: string;
  readonly sandbox: string;
  remove(): void;
}

/** `BENCH_BUILT` names the `out/main` of another build, to compare two in one run. */
export async function builtPrograms(): Promise<Built> {
  const other = process.env['BENCH_BUILT'];
  if (other === undefined && !(await buildIfNeeded(root)))
    throw new Error('the build failed: run "npm run build" to see why');
  mkdirSync(join(root, '.cache'), { recursive: true });
  // Inside the project, so that the built code finds its packages.
  const folder = mkdtempSync(join(root, '.cache', 'built-'));
  cpSync(other ?? join(root, 'out', 'main'), folder, { recursive: true });
  return {
    headless: join(folder, 'headless.js'),
    sandbox: join(folder, 'sandbox.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface Program {
  readonly process: ChildProcess;
  /** The `ready` line, parsed. */
  readonly ready: { readonly url: string };
  /** Milliseconds from its start to the `ready` line. */
  readonly readyAfter: number;
  /** The last lines of its log. */
  log(): string;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const alive = new Set<ChildProcess>();

/**
 * A test that took too long is ended in the midst of it, and its own cleaning up never comes: what it started goes with
 * it.
 */
process.once('SIGTERM', () => {
  for (const child of alive) child.kill('SIGKILL');
  process.exit(143);
});

/** Starts a program of ours; resolves with null when it ended before it was ready, killed through `onStarted`. */
/** Characters of a program's log that are kept, the last ones. */
const mostLog = 1_000_000;

export async function startProgram(
  entry: string,
  args: readonly string[],
  onStarted?: (child: ChildProcess) => void,
  nodeArgs: readonly string[] = [],
): Promise<Program | null> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...nodeArgs, entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-mostLog)));
  alive.add(child);
  const ended = once(child, 'exit').finally(() => alive.delete(child));
  onStarted?.(child);
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended.then(() => null)]);
  const readyAfter = performance.now() - begun;
  if (first === null) {
    if (child.signalCode === 'SIGKILL') return null;
    throw new Error(`${entry} ended with ${child.exitCode ?? child.signalCode} before it was ready:\n${log}`);
  }
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return {
    process: child,
    ready: JSON.parse(first[0] as string) as { url: string },
    readyAfter,
    log: () => log,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

export async function startNetworks(
  entry: string,
  dataDir: string,
): Promise<{ program: Program; endpoints: SandboxEndpoints }> {
  const program = await startProgram(entry, ['--data-dir', dataDir]);
  const endpoints = readEndpoints(dataDir);
  if (program === null || endpoints === null) throw new Error('the sandbox networks did not come up');
  return { program, endpoints };
}

export function tokenIn(dataDir: string): string {
  return readFileSync(join(dataDir, 'owner.token'), 'utf8').trim();
}
