import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that was started here, and that ends at the latest with the one that started it. */
export interface Daemon {
  readonly pid: number;
  readonly running: boolean;
  /** The last lines that it wrote, of those that match. */
  log(only?: RegExp): string;
  /** SIGKILL: no chance to write anything down. */
  kill(): Promise<void>;
  /** Stands still (SIGSTOP): its connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM, and SIGKILL after ten seconds. */
  stop(): Promise<void>;
}

const stopLimitMs = 10_000;
let guardian: ChildProcess | null = null;
/** Of those that ended and that nobody told to end: a sentence with the last lines each. */
const deaths = new Map<object, Error>();
const mourners = new Set<(death: Error) => void>();

export function startDaemon(program: string, args: readonly string[], folder: string): Daemon {
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'daemon.log');
  const log = openSync(logFile, 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  return watchOver(child, () => readFileSync(logFile, 'utf8'));
}

/** Puts a child under the guardian, whoever ends it; answers its process. */
export function guard(child: ChildProcess): number {
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${child.spawnfile} could not be started`);
  tellGuardian(`+${pid}`);
  child.once('exit', () => tellGuardian(`-${pid}`));
  return pid;
}

/**
 * Puts a child under the guardian, for programs whose streams the caller reads; `log` tells all that it wrote. It ends
 * only when it is told to, here: when it ends otherwise every test that runs fails.
 */
export function watchOver(child: ChildProcess, log: () => string): Daemon {
  const pid = guard(child);
  const ended = once(child, 'exit');
  const running = () => child.exitCode === null && child.signalCode === null;
  let ending = false;
  const lines = (only = /./): string =>
    log()
      .split('\n')
      .filter((line) => only.test(line))
      .slice(-25)
      .join('\n');

  child.once('exit', (code, signal) => {
    if (ending) return;
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    died(
      child,
      new Error(`${basename(child.spawnfile)} (process ${pid}) ended ${how}, and nobody told it to:\n${lines()}`),
    );
  });

  async function end(signal: NodeJS.Signals): Promise<void> {
    ending = true;
    forgive(child);
    if (running()) child.kill(signal);
    await ended;
  }
  return {
    pid,
    get running() {
      return running();
    },
    log: lines,
    kill: () => end('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      const late = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
      // A frozen process would not hear the SIGTERM.
      child.kill('SIGCONT');
      await end('SIGTERM');
      clearTimeout(late);
    },
  };
}

/**
 * Something that tests rely on is no more: all of them fail, those that run now and those that begin until it is
 * forgiven.
 */
export function died(who: object, death: Error): void {
  deaths.set(who, death);
  for (const hear of [...mourners]) hear(death);
}

export function forgive(who: object): void {
  deaths.delete(who);
}

/**
 * The work's outcome, or the death of any daemon where that comes first: nothing that waits for a dead one is waited
 * for.
 */
export async function whileAllLive<T>(work: () => Promise<T>): Promise<T> {
  let hear: (death: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => (hear = reject));
  ended.catch(() => undefined);
  for (const death of deaths.values()) hear(death);
  mourners.add(hear);
  try {
    return await Promise.race([ended, work()]);
  } finally {
    mourners.delete(hear);
  }
}

/** A folder under the system's temporary one that goes with this process. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-regtest-'));
  tellGuardian(folder);
  return folder;
}

function tellGuardian(line: string): void {
  if (guardian === null) {
    // A session of its own, so that a Ctrl-C reaches it only through the end of its input.
    guardian = spawn(process.execPath, [join(import.meta.dirname, 'guardian.ts')], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    guardian.unref();
    (guardian.stdin as unknown as { unref(): void }).unref();
  }
  guardian.stdin?.write(`${line}\n`);
}

/**
 * Asks until the answer is neither null nor an error; rejects when a daemon has ended, this one or any that should
 * live, or with the last error.
 */
export async function until<T>(
  what: string,
  read: () => Promise<T | null>,
  { limitMs = 60_000, stepMs = 25, of }: { limitMs?: number; stepMs?: number; of?: Daemon } = {},
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (let failure: unknown; ; await pause(stepMs)) {
    try {
      const value = await read();
      if (value !== null) return value;
    } catch (error) {
      failure = error;
    }
    for (const death of deaths.values()) throw new Error(`${what}: ${death.message}`, { cause: failure });
    if (of?.running === false) throw new Error(`${what}: it ended instead:\n${of.log()}`);
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1_000} s`, { cause: failure });
  }
}

const ports = new Set<number>();

/** A port of 127.0.0.1 below those that outgoing connections use, so that it is still free after a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 16_000 + Math.floor(Math.random() * 16_000);
    if (ports.has(port) || !(await isFree(port))) continue;
    ports.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
