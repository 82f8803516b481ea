import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf } from '../engine/git-commit.ts';
import { readIfThere } from './folder.ts';

const sources = [
  'main',
  'preload',
  'renderer',
  'engine',
  'resources',
  'contract.vite.ts',
  'documents.vite.ts',
  'electron.vite.config.ts',
  'package-lock.json',
];

/** Builds `out/` unless it is the build of exactly these sources. Resolves with false when the build failed. */
export async function buildIfNeeded(root: string): Promise<boolean> {
  // A release has what was built, and no sources.
  if (!existsSync(join(root, 'main'))) return true;
  if (readIfThere(stampIn(root)) === fingerprint(root)) return true;
  console.error('Building the program and its page: about ten seconds. The next build comes when the sources change.');
  return build(root, 'warn');
}

function stampIn(root: string): string {
  return join(root, 'out', 'built-from');
}

/** Builds `out/`, and leaves in it of which sources it is. Resolves with false when that failed. */
export async function build(root: string, logLevel: 'info' | 'warn'): Promise<boolean> {
  // Before: what is changed meanwhile is built again.
  const print = fingerprint(root);
  if (!(await buildTo(join(root, 'out'), { root, logLevel }))) return false;
  writeFileSync(stampIn(root), print);
  return true;
}

/** Builds the program and its page into a folder. Resolves with false when that failed. */
export async function buildTo(
  out: string,
  { root, logLevel }: { readonly root: string; readonly logLevel: 'info' | 'warn' },
): Promise<boolean> {
  const tool = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  if (!existsSync(tool)) {
    console.error('The packages that build the program are not here: "npm ci" brings them.');
    return false;
  }
  const ended = await new Promise<number | null>((resolve) => {
    spawn(process.execPath, [tool, 'build', '--logLevel', logLevel], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1', SLUICE_OUT: out },
    })
      .once('exit', resolve)
      .once('error', () => resolve(1));
  });
  if (ended !== 0) return false;
  mkdirSync(out, { recursive: true });
  return true;
}

/** Names, sizes and times of the sources: reading every byte would cost each start a second. */
function fingerprint(root: string): string {
  const hash = createHash('sha256');
  const visit = (path: string) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isDirectory()) for (const name of readdirSync(path).toSorted()) visit(join(path, name));
    else hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
  };
  for (const source of sources) visit(join(root, source));
  hash.update(commitOf(root)); // which is part of the build
  return hash.digest('hex');
}
