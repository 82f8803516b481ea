import { app } from 'electron';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { desktopEntry } from './desktop-entry.ts';
import { electronFlag } from './node-flags.ts';

/** Given at login: the node starts in the tray, without its window. */
export const hiddenFlag = '--hidden';

/** macOS and Windows keep a list that Electron writes; on Linux it is a file that the desktops read. */
export function startAtLogin(own: readonly string[]): { get(): boolean; set(on: boolean): void } {
  const args = [electronFlag, ...own, hiddenFlag];
  if (process.platform !== 'linux') {
    const entry = { path: process.execPath, args };
    return {
      get: () => app.getLoginItemSettings(entry).openAtLogin,
      set: (on) => app.setLoginItemSettings({ ...entry, openAtLogin: on }),
    };
  }
  const path = join(app.getPath('appData'), 'autostart', 'sluice.desktop');
  return {
    get: () => existsSync(path),
    set(on) {
      if (!on) return rmSync(path, { force: true });
      mkdirSync(dirname(path), { recursive: true });
      // An AppImage runs from a mount that is another one after each start.
      writeFileSync(path, desktopEntry([process.env['APPIMAGE'] ?? process.execPath, ...args]));
    },
  };
}
