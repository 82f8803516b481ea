import { app, Notification, powerMonitor, safeStorage } from 'electron';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Refusal } from '../engine/domain/errors.ts';
import { ask } from './ask.ts';
import { openTrayMonitor } from './tray-monitor.ts';
import { createAwake } from './awake.ts';
import { desktopChoice } from './choice.ts';
import { createDesktopNode } from './desktop-node.ts';
import { createDesktopWindow } from './desktop-window.ts';
import type { HostFlags } from './flags.ts';
import { osKeychain } from './keychain.ts';
import type { Notice } from './own-swaps.ts';
import { spawnWithElectron } from './sandbox-utility.ts';
import { createSetup, type Setup, type SetupParts } from './setup.ts';
import { mayEnd, readStakes } from './stakes.ts';
import { hiddenFlag, startAtLogin } from './start-at-login.ts';
import { openTray, type NodeTray } from './tray.ts';
import { quitQuestion, sentences } from './words.ts';

export interface DesktopOptions {
  readonly log: Logger;
  /** What the program was started with, and what of it the node understands. */
  readonly args: readonly string[];
  readonly flags: HostFlags;
  readonly sandboxEntry: string;
  readonly page: string;
  readonly preload: string;
  /** The folder of what is shown outside the page. */
  readonly icons: string;
}

export interface Desktop {
  begin(): Promise<Refusal | null>;
  show(): void;
  /** Asks first where swaps are open. */
  quit(): Promise<void>;
  /** Asks nobody: window, then engine, then networks and the lock, each before what it stands on. */
  leave(code: number): Promise<void>;
}

const minuteMs = 60_000;

export function openDesktop(options: DesktopOptions): Desktop {
  const { log, args, sandboxEntry, page, preload, icons } = options;
  const keychain = osKeychain();
  const platform = process.platform;
  const node = createDesktopNode({
    environment: process.env,
    platform,
    log,
    keychain,
    spawnSandbox: spawnWithElectron(sandboxEntry),
    page: null,
    startEngine: async () => (await import('../engine/index.ts')).startEngine,
  });
  const setup = openSetup(options, { node, keychain, confirmShow: () => ask(window.current(), sentences.show) });
  const awake = createAwake();
  const trayMonitor = openTrayMonitor({
    engine: () => node.engine(),
    show(state) {
      tray?.say(state);
      awake.keep(state.running && !mayEnd(state.running, state.stakes));
    },
    notify: (notice) => notify(notice, show),
    everyMs: minuteMs,
    calmMs: 500,
  });
  const window = createDesktopWindow({ node, setup, page, preload, icons, args });
  let tray: NodeTray | null = null;
  let stopEvents: (() => void) | null = null;
  let leaving = false;
  let asking = false;

  node.onChange((state) => {
    stopEvents?.();
    stopEvents = null;
    if (state.is === 'running') {
      process.stdout.write(`${JSON.stringify(state.host.ready)}\n`);
      stopEvents = state.host.engine.events.on((event) => {
        window.tell(event);
        trayMonitor.onEvent(event);
      });
    }
    if (!leaving) trayMonitor.look();
  });

  function show(): void {
    if (!leaving) window.show();
  }

  /** What slept has missed blocks, payments and dates. */
  function wake(): void {
    node
      .engine()
      ?.wake()
      .catch((error: unknown) => log.error({ err: error }, 'after waking up not everything could be looked at'));
    trayMonitor.look();
  }

  async function quit(): Promise<void> {
    if (leaving || asking) return;
    asking = true;
    const engine = node.engine();
    const stakes = engine === null ? null : await readStakes(engine);
    const { title, stay, leave: go } = sentences.quit;
    const free =
      mayEnd(engine !== null, stakes) ||
      (await ask(window.current(), { title, detail: quitQuestion(stakes), yes: go, no: stay }));
    asking = false;
    if (free) await leave(0);
  }

  async function leave(code: number): Promise<void> {
    if (leaving) return;
    leaving = true;
    trayMonitor.stop();
    window.destroy();
    tray?.destroy();
    awake.keep(false);
    try {
      await node.close();
    } catch (error) {
      log.fatal({ err: error }, 'the node did not stop cleanly');
      code = 1;
    }
    app.exit(code);
  }

  return {
    async begin() {
      const refusal = await setup.begin();
      if (refusal !== null) return refusal;
      tray = openTray(icons, show, () => void quit());
      trayMonitor.look();
      powerMonitor.on('resume', wake);
      powerMonitor.on('shutdown', () => void leave(0));
      // At login nobody has asked for a window, unless the node waits for something that only its owner has.
      if (!args.includes(hiddenFlag) || node.state().is === 'off') show();
      return null;
    },
    show,
    quit,
    leave,
  };
}

function notify(notice: Notice | { readonly alert: string }, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const text =
    typeof notice === 'string' ? sentences.notice[notice] : { title: sentences.notice.alert.title, body: notice.alert };
  const shown = new Notification(text);
  shown.on('click', onClick);
  shown.show();
}

/** The setup of this computer: its keychain, its start at login, and what the program was started with. */
function openSetup(
  { args, flags }: DesktopOptions,
  parts: Pick<SetupParts, 'node' | 'keychain' | 'confirmShow'>,
): Setup {
  const { platform } = process;
  return createSetup({
    ...parts,
    flags,
    environment: process.env,
    choice: desktopChoice(flags, process.env, platform),
    // On Linux without a secret service Electron seals with a password that is in its source; nothing there is a
    // keychain.
    keychainSeals: () => platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text',
    pause,
    startAtLogin: startAtLogin(args.filter((arg) => arg !== hiddenFlag)),
  });
}
