import { app, dialog } from 'electron';
import { join } from 'node:path';
import { isRefusal } from '../engine/domain/errors.ts';
import { keepCompiled } from './compile-cache.ts';
import { openDesktop, type Desktop } from './desktop.ts';
import { readFlags } from './flags.ts';
import { stderrLog } from './log.ts';
import { electronFlag } from './node-flags.ts';
import { places } from './places.ts';
import { opensItself } from './policy.ts';
import { hiddenFlag } from './start-at-login.ts';
import { registerPageScheme } from './window.ts';
import { sentences } from './words.ts';

/** The desktop: one program, one engine, one window that may be closed while the tray keeps the node running. */
const log = stderrLog();
const args = ownArguments();
let desktop: Desktop | null = null;

if (opensItself(process.argv, app.isPackaged)) {
  log.fatal({}, sentences.inspected);
  app.exit(1);
} else if (!app.requestSingleInstanceLock()) {
  log.fatal({}, sentences.openAlready);
  app.exit(0);
} else {
  // What was compiled lies outside an archive, where nothing vouches for it.
  if (!app.isPackaged) keepCompiled();
  registerPageScheme();
  app.enableSandbox();
  app.on('second-instance', () => desktop?.show());
  app.on('activate', () => desktop?.show());
  app.on('window-all-closed', () => {}); // The node goes on in the tray.
  app.on('before-quit', (event) => {
    event.preventDefault();
    void desktop?.quit();
  });
  // A machine that is shut down, or a service manager, does not wait for an answer.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void (desktop?.leave(0) ?? app.exit(0)));
  void app.whenReady().then(open).catch(unexpected);
}

async function open(): Promise<void> {
  const { root, sandboxEntry, page } = places();
  const flags = readFlags(args.filter((arg) => arg !== '--devtools' && arg !== hiddenFlag));
  if (isRefusal(flags)) return fail(flags.sentence);
  if (page === null) return fail(sentences.notBuilt);
  const preload = join(root, 'out', 'preload', 'index.cjs');
  desktop = openDesktop({ log, args, flags, sandboxEntry, page, preload, icons: join(root, 'resources', 'icons') });
  const refusal = await desktop.begin();
  if (refusal !== null) fail(refusal.sentence);
}

function unexpected(error: unknown): void {
  log.fatal({ err: error }, sentences.cannotStart);
  fail(sentences.unexpected);
}

function fail(sentence: string): void {
  log.fatal({}, sentence);
  dialog.showErrorBox(sentences.cannotStart, sentence);
  void (desktop?.leave(1) ?? app.exit(1));
}

/** Packaged, the arguments begin after the program; else after the program and its folder. V8 has its own by then. */
function ownArguments(): string[] {
  return process.argv.slice(app.isPackaged ? 1 : 2).filter((arg) => arg !== electronFlag);
}
