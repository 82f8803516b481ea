// node test/tools/icons.ts: draws resources/icons anew from mark.svg, in the Chromium of this machine. To be run when
// the mark changes; what it draws is kept in the repository, for a build has no browser.
import { chromium } from '@playwright/test';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trayIcons, type TrayIcon } from '../../main/tray-icon.ts';
import { program } from '../desktop/browser.ts';

interface Drawing {
  readonly file: string;
  readonly side: number;
  readonly state?: TrayIcon;
  readonly look?: 'template';
  /** What stays free around the mark, of its side: macOS draws its icons so. */
  readonly margin?: number;
}

const folder = fileURLToPath(new URL('../../resources/icons', import.meta.url));
/** By the ending that Electron looks for on screens of that density. */
const densities = { '': 1, '@2x': 2, '@3x': 3 };
const app: Drawing[] = [
  { file: 'icon.png', side: 512 },
  { file: 'mac.png', side: 1_024, margin: 0.1 },
  ...[16, 24, 32, 48, 64, 128, 256, 512].map((side) => ({ file: `linux/${side}x${side}.png`, side })),
];
const tray = (Object.entries(trayIcons) as [TrayIcon, { colour: string; template: string }][]).flatMap(
  ([state, { colour, template }]) =>
    Object.entries(densities).flatMap(([ending, times]): Drawing[] => [
      { file: colour.replace('.png', `${ending}.png`), side: 16 * times, state },
      { file: template.replace('.png', `${ending}.png`), side: 16 * times, state, look: 'template' },
    ]),
);

const mark = readFileSync(join(folder, 'mark.svg'), 'utf8');
const browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--headless'] });
const page = await browser.newPage();
for (const { file, side, state = 'ok', look = 'colour', margin = 0 } of [...app, ...tray]) {
  const free = (16 * margin) / (1 - 2 * margin);
  const box = [-free, -free, 16 + 2 * free, 16 + 2 * free].join(' ');
  const drawn = mark
    .replace('viewBox="0 0 16 16"', `viewBox="${box}" data-state="${state}" data-look="${look}" width="${side}"`)
    .replace('<svg ', '<svg style="display: block" ');
  await page.setViewportSize({ width: side, height: side });
  await page.setContent(`<body style="margin: 0; background: transparent">${drawn}`);
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  await page.screenshot({ path: join(folder, file), omitBackground: true });
}
await browser.close();
console.log(`${app.length + tray.length} icons drawn`);
