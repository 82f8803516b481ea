import { app, type BrowserWindow } from 'electron';
import { routes } from '../engine/contract/routes.ts';
import { ask } from './ask.ts';
import { openSetupBridge } from './bridge-setup.ts';
import { openBridge, type Bridge } from './bridge.ts';
import type { DesktopNode } from './desktop-node.ts';
import { allowsDevTools } from './policy.ts';
import type { Setup } from './setup.ts';
import { openWindow } from './window.ts';
import { sentences } from './words.ts';

interface DesktopWindowParts {
  readonly node: DesktopNode;
  readonly setup: Setup;
  readonly page: string;
  readonly preload: string;
  readonly icons: string;
  readonly args: readonly string[];
}

/** The one window, opened when it is shown, with the bridges of its page. */
export function createDesktopWindow({ node, setup, page, preload, icons, args }: DesktopWindowParts) {
  let window: BrowserWindow | null = null;
  let bridge: Bridge | null = null;

  function open(): void {
    const opened = openWindow({ pageFolder: page, preload, icons, devTools: allowsDevTools(args, app.isPackaged) });
    window = opened;
    const opens = openBridge({
      engine: () => node.engine(),
      page: opened.webContents,
      confirm: (route) => ask(window, sentences.act(routes[route].summary)),
    });
    bridge = opens;
    const closeSetup = openSetupBridge(setup, opened.webContents);
    opened.once('ready-to-show', () => opened.show());
    opened.once('closed', () => {
      closeSetup();
      opens.close();
      bridge = null;
      window = null;
    });
  }

  return {
    current: () => window,
    show(): void {
      if (window === null) return open();
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    tell: (event: Parameters<Bridge['tell']>[0]): void => bridge?.tell(event),
    destroy: (): void => window?.destroy(),
  };
}
