import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { refuse, type Refusal } from '../engine/domain/errors.ts';
import { readIfThere } from './folder.ts';
import { writePrivate } from './private-file.ts';

/** A started process of sandbox networks, whoever starts processes here: Node or Electron. */
export interface SandboxChild {
  /** Null until it is running. */
  pid(): number | null;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export type SpawnSandbox = (args: readonly string[]) => SandboxChild;

export interface RunningSandbox {
  /** The content of its endpoints file. */
  readonly endpoints: { readonly pid: number };
  /** Resolves when networks that we started ended; never for those of somebody else. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const startupMs = 60_000;
const farewellMs = 15_000;

/** Networks that run already are used and left running; else they are started, and stop with us. */
export async function startSandbox(folder: string, start: SpawnSandbox): Promise<RunningSandbox | Refusal> {
  const home = join(folder, 'sandbox');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const childFile = join(home, 'child-of-node');
  const running = await liveEndpoints(home);
  if (running !== null) {
    if ('arkade' in running && !('lnd' in running))
      return refuse(
        'unavailable',
        `An Arkade operator runs alone in ${folder} (process ${running.pid}), on the chain of a real Bitcoin ` +
          'node: stop it, or choose another folder with --data-dir.',
      );
    const orphan = readIfThere(childFile)?.trim() === String(running.pid);
    if (!orphan) return { endpoints: running, ended: new Promise(() => {}), stop: async () => {} };
    // We hold the folder, so the node that started it is gone and the end of its pipe is stopping it right now.
    if (!(await endedWithin(running.pid, farewellMs)))
      return refuse(
        'unavailable',
        `The sandbox of the last start (process ${running.pid}) does not end: stop it and start again.`,
      );
  }
  rmSync(join(home, 'endpoints.json'), { force: true });
  const child = start(['--data-dir', folder, '--parent-pipe']);
  let ended: string | null = null;
  let noted = false;
  void child.ended.then((how) => (ended = how));
  const deadline = Date.now() + startupMs;
  for (;;) {
    const endpoints = readEndpoints(home);
    const pid = child.pid();
    if (pid !== null && !noted) {
      writePrivate(childFile, Buffer.from(`${pid}\n`));
      noted = true;
    }
    if (endpoints !== null && endpoints.pid === pid) return { endpoints, ended: child.ended, stop: () => child.stop() };
    if (ended !== null)
      return refuse(
        'unavailable',
        `The sandbox networks did not start, their process ended with ${ended as string}: the log above says why.`,
      );
    if (Date.now() > deadline) {
      await child.stop();
      return refuse(
        'unavailable',
        `The sandbox networks did not start within ${startupMs / 1000} s: the log above says how far they came.`,
      );
    }
    await pause(20);
  }
}

/** Starts the networks under Node; the pipe to them ends with us, however we end. */
export function spawnWithNode(entry: string): SpawnSandbox {
  return (args) => {
    // A group of its own: Ctrl-C in the terminal must reach the node first, the networks last.
    const child = spawn(process.execPath, [entry, ...args], {
      stdio: ['pipe', 'ignore', 2],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    });
    child.stdin?.on('error', () => {}); // A pipe to a process that ended first; `ended` tells.
    return {
      pid: () => child.pid ?? null,
      ended,
      async stop() {
        child.stdin?.end();
        for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
          if (await Promise.race([ended.then(() => true), pause(farewellMs, false, { ref: false })])) return;
          child.kill(signal);
        }
        await ended;
      },
    };
  };
}

function readEndpoints(home: string): { pid: number } | null {
  const text = readIfThere(join(home, 'endpoints.json'));
  if (text === null) return null;
  try {
    const content = JSON.parse(text) as { pid?: unknown };
    return typeof content.pid === 'number' ? { ...content, pid: content.pid } : null;
  } catch {
    return null; // Half written or cut off by a crash: as good as absent.
  }
}

/** Alive is more than a process id, which another process may have by now: its networks must also answer. */
async function liveEndpoints(home: string): Promise<{ pid: number } | null> {
  const endpoints = readEndpoints(home);
  if (endpoints === null || !isAlive(endpoints.pid)) return null;
  const port = /(?:127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})/.exec(JSON.stringify(endpoints))?.[1];
  return port === undefined || (await answers(Number(port))) ? endpoints : null;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port, timeout: 2_000 });
    const done = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket
      .once('connect', () => done(true))
      .once('error', () => done(false))
      .once('timeout', () => done(false));
  });
}

async function endedWithin(pid: number, ms: number): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await pause(50)) if (!isAlive(pid)) return true;
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
