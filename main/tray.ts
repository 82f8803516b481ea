import { Menu, nativeImage, Tray } from 'electron';
import { sentences } from './words.ts';

/** Sixteen by sixteen, drawn here so that no file can be missing: two bars, the gates of a sluice. */
function icon(): Electron.NativeImage {
  const side = 16;
  const pixels = Buffer.alloc(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const bar = (y >= 4 && y <= 6 && x >= 2 && x <= 11) || (y >= 9 && y <= 11 && x >= 4 && x <= 13);
      if (bar) pixels.set([0x6b, 0x5f, 0x0f, 0xff], (y * side + x) * 4);
    }
  return nativeImage.createFromBitmap(pixels, { width: side, height: side });
}

export interface NodeTray {
  say(line: string): void;
  destroy(): void;
}

/** While the window is closed the node goes on: the tray says how it stands and is the way to end it. */
export function openTray(show: () => void, quit: () => void): NodeTray {
  const tray = new Tray(icon());
  tray.on('click', show);
  const say = (line: string) => {
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
