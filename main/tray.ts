import { Menu, nativeImage, Tray } from 'electron';
import { join } from 'node:path';
import type { TrayState } from './tray-monitor.ts';
import { trayIcons, trayIconOf } from './tray-icon.ts';
import { sentences, trayLine } from './words.ts';

export interface NodeTray {
  say(state: TrayState): void;
  destroy(): void;
}

/** While the window is closed the node goes on: the tray says how it stands and is the way to end it. */
export function openTray(icons: string, show: () => void, quit: () => void): NodeTray {
  const image = (state: TrayState) => {
    const { colour, template } = trayIcons[trayIconOf(state)];
    return nativeImage.createFromPath(join(icons, process.platform === 'darwin' ? template : colour));
  };
  const tray = new Tray(image({ running: false, stakes: null, needsYou: 0, inDanger: 0 }));
  tray.on('click', show);
  const say = (state: TrayState) => {
    const line = trayLine(state);
    tray.setImage(image(state));
    tray.setToolTip(line);
    // Many Linux desktops show no tool tip: the line is in the menu as well.
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: line, enabled: false },
        { type: 'separator' },
        { label: sentences.tray.open, click: show },
        { label: sentences.tray.quit, click: quit },
      ]),
    );
  };
  return { say, destroy: () => tray.destroy() };
}
