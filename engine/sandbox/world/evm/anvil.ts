import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A running anvil, for whoever started it alone: it takes every call, those that no chain should take included. */
export interface Anvil {
  readonly url: string;
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Resolves once it is gone. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** What anvil answered instead of a result. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export class AnvilError extends Error {
  readonly error: RpcError;

  constructor(method: string, error: RpcError) {
    super(`${method}: ${error.message}`);
    this.error = error;
  }
}

/** The names that anvil's packages have for what Node calls otherwise. */
const processors: Readonly<Record<string, string>> = { x64: 'amd64' };

/**
 * No program starts from inside the archive of a packaged desktop: what has to start lies beside it (`asarUnpack` of
 * the packaging). Files inside are read by Electron alone.
 */
export function outsideArchive(path: string): string {
  return path.replace(/(?<=[\\/]app\.asar)(?=[\\/])/, '.unpacked');
}

/**
 * The program itself rather than its wrapper: what is started is what is ended. Null where there is none for this
 * machine.
 */
export function anvilProgram(): string | null {
  const { platform, arch } = process;
  const name = `@foundry-rs/anvil-${platform}-${processors[arch] ?? arch}/package.json`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(name));
    return join(outsideArchive(folder), 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/**
 * Ends the program when standard input does, which is when whoever started it is gone, however it went: this shell and
 * the one that waits outlive a SIGKILL of the parent by a moment. Windows ends the children of a process by itself.
 */
const leash =
  'exec 3<&0; "$@" </dev/null 3<&- & chain=$!; (read -r _ <&3; kill -9 $chain) >/dev/null & leash=$!; ' +
  'wait $chain; code=$?; kill -9 $leash; exit $code';

/** Starts anvil on a free port of this machine; it ends with this process. */
export function startAnvil(flags: readonly string[]): Promise<Anvil> {
  const program = anvilProgram();
  if (program === null) return Promise.reject(new Error('There is no anvil for this machine.'));
  const args = ['--host', '127.0.0.1', '--port', '0', '--no-cors', '--no-request-size-limit', ...flags];
  const posix = process.platform !== 'win32';
  // A group of its own: Ctrl-C in a terminal is for the program that started it.
  const child = posix
    ? spawn('/bin/sh', ['-c', leash, 'anvil', program, ...args], { stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    : spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
  return listening(child, posix);
}

function listening(child: ChildProcess, posix: boolean): Promise<Anvil> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin?.on('error', () => undefined); // A pipe to a process that ended first; `ended` tells.
  async function stop(): Promise<void> {
    if (posix) child.stdin?.end();
    else child.kill('SIGKILL');
    await ended;
  }
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      if (output.length > 10_000) return;
      output += chunk.toString();
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve({ ...caller(Number(port)), ended, stop });
    });
  });
}

function caller(port: number): Pick<Anvil, 'url' | 'call'> {
  const agent = new Agent({ keepAlive: true });

  function ask(body: unknown): Promise<unknown> {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, agent, method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString()));
          } catch (error) {
            reject(error as Error);
          }
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }

  interface Reply {
    readonly id: number;
    readonly result?: unknown;
    readonly error?: RpcError;
  }

  interface Call {
    readonly method: string;
    readonly params: readonly unknown[];
    readonly resolve: (result: unknown) => void;
    readonly reject: (error: unknown) => void;
  }

  let waiting: Call[] = [];

  /**
   * What is asked in one turn of the event loop is one request: the sandbox shares its processor with the node that is
   * measured.
   */
  async function askAll(): Promise<void> {
    const calls = waiting;
    waiting = [];
    try {
      const replies = (await ask(
        calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })),
      )) as Reply[];
      const byId = new Map(replies.map((reply) => [reply.id, reply]));
      for (const [id, { method, resolve, reject }] of calls.entries()) {
        const { result, error } = byId.get(id) ?? {};
        if (error === undefined) resolve(result);
        else reject(new AnvilError(method, error));
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  return {
    url: `http://127.0.0.1:${port}`,
    call(method, ...params) {
      return new Promise((resolve, reject) => {
        if (waiting.push({ method, params, resolve, reject }) === 1) setImmediate(() => void askAll());
      });
    },
  };
}
