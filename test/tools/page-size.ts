// What a browser has to fetch before the page shows anything, as it travels: compressed. npm run check holds it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, mergeConfig } from 'vite';
import { page } from '../../electron.vite.config.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const outDir = join(top, '.cache', 'page-size');

/** Kilobytes after gzip: room for a screen or two, none for a second library that does what one does already. */
const most = { first: 205, later: 90, styles: 16 } as const;

await build(mergeConfig(page, { configFile: false, logLevel: 'error', build: { outDir } }));
const index = readFileSync(join(outDir, 'index.html'), 'utf8');
const files = readdirSync(join(outDir, 'assets'));
const scripts = files.filter((file) => file.endsWith('.js'));
const parts = {
  first: scripts.filter((file) => index.includes(file)),
  later: scripts.filter((file) => !index.includes(file)),
  styles: files.filter((file) => file.endsWith('.css')),
};
for (const name of ['first', 'later', 'styles'] as const) {
  const size = parts[name].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(outDir, 'assets', file))).length / 1_000,
    0,
  );
  console.log(`${name}: ${size.toFixed(1)} kB of at most ${most[name]} kB`);
  if (size === 0 || size > most[name]) process.exitCode = 1;
}
