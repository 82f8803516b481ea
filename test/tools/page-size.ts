// What a browser has to fetch before the page shows anything, as it travels: compressed. npm run check holds it.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, mergeConfig } from 'vite';
import { page } from '../../electron.vite.config.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const outDir = join(top, '.cache', 'page-size');

/**
 * Kilobytes after gzip: room for a screen or two, none for a second library that does what one does already. Scripts
 * on request are sent to nobody who did not ask for them. Each has a limit of its own, and none counts with what
 * everybody comes by: a reader of English fetches no byte of German, and a browser that reads codes no reader of them.
 * Three of the first kilobytes are an HMAC of our own: a page over plain http has none of the browser's, and a script
 * that came later could come from who took the node's port.
 */
const most = { first: 208, later: 104, styles: 16 } as const;
const byRequest: readonly { readonly name: string; readonly entry: string; readonly most: number }[] = [
  { name: 'German', entry: 'words/de/catalogue.ts', most: 30 },
  { name: 'QR codes', entry: 'client/own-codes.ts', most: 16 },
];

await build(mergeConfig(page, { configFile: false, logLevel: 'error', build: { outDir, manifest: true } }));
const files = readdirSync(join(outDir, 'assets'));
const manifest = JSON.parse(readFileSync(join(outDir, '.vite', 'manifest.json'), 'utf8')) as Readonly<
  Record<string, { readonly file: string; readonly imports?: readonly string[] }>
>;
/** The script that draws the page comes behind a small one that chooses the language, and both come to everybody. */
const begins = ['index.html', 'app/draw.tsx'];
const opening = new Set<string>();
for (const entries = [...begins]; entries.length > 0;) {
  const entry = entries.pop() ?? '';
  const chunk = manifest[entry];
  if (chunk === undefined) throw new Error(`The build has no script for ${entry}.`);
  if (opening.has(basename(chunk.file))) continue;
  opening.add(basename(chunk.file));
  entries.push(...(chunk.imports ?? []));
}
const onRequest = byRequest.map(({ entry }) => basename(manifest[entry]?.file ?? ''));
const scripts = files.filter((file) => file.endsWith('.js') && !onRequest.includes(file));
const parts = {
  first: scripts.filter((file) => opening.has(file)),
  later: scripts.filter((file) => !opening.has(file)),
  styles: files.filter((file) => file.endsWith('.css')),
};
for (const name of ['first', 'later', 'styles'] as const) hold(name, parts[name], most[name]);
for (const [place, { name, most: limit }] of byRequest.entries()) {
  const file = onRequest[place] ?? '';
  // What is in the first script after all would be counted nowhere.
  hold(name, files.includes(file) && !opening.has(file) ? [file] : [], limit);
}

function hold(name: string, of: readonly string[], limit: number): void {
  const size = of.reduce((sum, file) => sum + gzipSync(readFileSync(join(outDir, 'assets', file))).length / 1_000, 0);
  console.log(`${name}: ${size.toFixed(1)} kB of at most ${limit} kB`);
  if (size === 0 || size > limit) process.exitCode = 1;
}
