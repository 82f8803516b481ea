import { Menu, nativeImage, Tray } from 'electron';

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

/** While the window is closed the node goes on: the tray says so and is the way to end it. */
export function openTray(show: () => void, quit: () => void): Tray {
  const tray = new Tray(icon());
  tray.setToolTip('Sluice is running');
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: 'Open Sluice', click: show },
      { type: 'separator' },
      { label: 'Quit', click: quit },
    ]),
  );
  tray.on('click', show);
  return tray;
}
