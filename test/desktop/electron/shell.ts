// The built desktop with a remote control: in the stand-in, or in Electron itself where its runtime is there.
import { _electron, chromium, type BrowserServer } from '@playwright/test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { electronFlag } from '../../../main/node-flags.ts';
import { electronRuntime, hasScreen } from '../../../main/runtime.ts';

export const root = join(import.meta.dirname, '..', '..', '..');

type Electron = typeof import('electron');
/** Runs in the program beside Electron; it can refer to nothing outside itself. */
type InMain<A, T> = (electron: Electron, arg: A) => T | Promise<T>;

export interface Shell {
  inMain<A, T>(run: InMain<A, T>, arg: A): Promise<T>;
  /** Runs in the page of the first window. */
  inPage<A, T>(run: (arg: A) => T | Promise<T>, arg: A): Promise<T>;
  /** What it wrote on standard output and standard error. */
  readonly out: string[];
  readonly log: string[];
  readonly ended: Promise<number | null>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

const candidates = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  chromium.executablePath(),
];
export const browserProgram = candidates.find((path) => existsSync(path));
export const realElectron = hasScreen(process.platform, process.env) ? electronRuntime(root, process.env) : null;

/** One browser for every shell of a file. */
export function launchBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: browserProgram!, args: ['--no-sandbox'] });
}

interface Loaded {
  waitForURL(url: RegExp, until: { waitUntil: 'load' }): Promise<void>;
  evaluate(code: string): Promise<never>;
}

export function standInShell(browser: BrowserServer, home: string, args: readonly string[]): Shell {
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(import.meta.dirname, 'stand-in.ts'),
      join(root, 'out', 'main', 'index.js'),
      electronFlag,
      ...args,
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        XDG_DATA_HOME: home,
        STAND_IN_HOME: home,
        STAND_IN_BROWSER: browser.wsEndpoint(),
      },
    },
  );
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  child.on('message', ({ id, value, error }: { id: number; value: never; error?: string }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  });
  const inMain = <A, T>(run: InMain<A, T>, arg: A) =>
    new Promise<T>((resolve, reject) => {
      const id = Math.random();
      waiting.set(id, { resolve, reject });
      child.send({ id, code: run.toString(), arg }, (error) => error !== null && reject(error));
    });
  const out: string[] = [];
  const log: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => out.push(line));
  createInterface({ input: child.stderr! }).on('line', (line) => log.push(line));
  return {
    inMain,
    inPage: (run, arg) =>
      inMain(
        async (electron, call) => {
          const { standIn } = electron as unknown as { standIn: { page(): Loaded } };
          // What runs in a page that is still on its way there is lost with it.
          await standIn.page().waitForURL(/^(?!about:)/, { waitUntil: 'load' });
          return standIn.page().evaluate(`(${call.code})(${JSON.stringify(call.arg ?? null)})`);
        },
        { code: run.toString(), arg },
      ),
    out,
    log,
    ended: once(child, 'close').then(([code]) => {
      for (const { reject } of waiting.values()) reject(new Error(`the program ended: ${log.join('\n')}`));
      return code as number | null;
    }),
    kill: (signal) => void child.kill(signal),
  };
}

export async function electronShell(home: string, args: readonly string[]): Promise<Shell> {
  const program = await _electron.launch({
    executablePath: realElectron!,
    args: [root, electronFlag, ...args],
    env: { ...(process.env as Record<string, string>), XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  });
  const page = await program.firstWindow();
  return {
    inMain: (run, arg) => program.evaluate(run as never, arg) as never,
    inPage: (run, arg) => page.evaluate(run as never, arg) as never,
    out: [],
    log: [],
    ended: once(program.process(), 'close').then(([code]) => code as number | null),
    kill: (signal) => void program.process().kill(signal),
  };
}
