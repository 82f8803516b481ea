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
const most = { '.js': 240, '.css': 16 } as const;

await build(mergeConfig(page, { configFile: false, logLevel: 'error', build: { outDir } }));
const files = readdirSync(join(outDir, 'assets'));
for (const [ending, limit] of Object.entries(most)) {
  const size = files
    .filter((file) => file.endsWith(ending))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(outDir, 'assets', file))).length / 1_000, 0);
  console.log(`${ending}: ${size.toFixed(1)} kB of at most ${limit} kB`);
  if (size === 0 || size > limit) process.exitCode = 1;
}
