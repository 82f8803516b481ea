import { app, dialog, type BrowserWindow, type Tray } from 'electron';
import { join } from 'node:path';
import { isRefusal } from '../engine/domain/errors.ts';
import { mineByItself } from './auto-mine.ts';
import { openBridge } from './bridge.ts';
import { readFlags } from './flags.ts';
import { startHost, type Host } from './host.ts';
import { osKeychain } from './keychain.ts';
import { stderrLog } from './log.ts';
import { places } from './places.ts';
import { spawnWithElectron } from './sandbox-utility.ts';
import { openTray } from './tray.ts';
import { openWindow, registerPageScheme } from './window.ts';

/** The desktop: one program, one engine, one window that may be closed while the tray keeps the node running. */
const log = stderrLog();
const { root, sandboxEntry, page } = places();

let host: Host | null = null;
let window: BrowserWindow | null = null;
let tray: Tray | null = null;
let closeBridge: (() => void) | null = null;
let leaving = false;

if (!app.requestSingleInstanceLock()) {
  log.fatal({}, 'Sluice is open already: its window comes to the front.');
  app.exit(0);
} else {
  registerPageScheme();
  app.enableSandbox();
  app.on('second-instance', show);
  app.on('activate', show);
  app.on('window-all-closed', () => {}); // The node goes on in the tray.
  app.on('before-quit', (event) => {
    if (leaving) return;
    event.preventDefault();
    void leave(0);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void leave(0));
  void app.whenReady().then(open).catch(failed);
}

async function open(): Promise<void> {
  const flags = readFlags(ownArguments());
  if (isRefusal(flags)) return fail(flags.sentence);
  if (page === null) return fail('The page is not built: run "npm start", which builds it.');
  const started = await startHost(flags, {
    environment: process.env,
    platform: process.platform,
    log,
    keychain: osKeychain(),
    spawnSandbox: spawnWithElectron(sandboxEntry),
    page: null,
    startEngine: async () => (await import('../engine/index.ts')).startEngine,
  });
  if (isRefusal(started)) return fail(started.sentence);
  host = started;
  if (host.sandbox) await mineByItself(host.engine);
  process.stdout.write(`${JSON.stringify(host.ready)}\n`);
  tray = openTray(show, () => app.quit());
  show();
}

function show(): void {
  if (host === null || page === null || leaving) return;
  if (window === null) {
    const opened = openWindow(page, join(root, 'out', 'preload', 'index.cjs'));
    window = opened;
    closeBridge = openBridge(host.engine, opened.webContents);
    opened.once('closed', () => {
      closeBridge?.();
      closeBridge = null;
      window = null;
    });
  }
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** Window, then engine, then networks and the lock: each ends before what it stands on. */
async function leave(code: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  window?.destroy();
  tray?.destroy();
  try {
    await host?.stop();
  } catch (error) {
    log.fatal({ err: error }, 'the node did not stop cleanly');
    code = 1;
  }
  app.exit(code);
}

function fail(sentence: string): void {
  log.fatal({}, sentence);
  dialog.showErrorBox('Sluice cannot start', sentence);
  void leave(1);
}

function failed(error: unknown): void {
  log.fatal({ err: error }, 'Sluice cannot start');
  dialog.showErrorBox('Sluice cannot start', 'An error that nothing expected: the log says which.');
  void leave(1);
}

/** Packaged, the arguments begin after the program; else after the program and its folder. Electron's own are left out. */
function ownArguments(): string[] {
  return process.argv.slice(app.isPackaged ? 1 : 2).filter((arg) => arg !== '--devtools');
}
