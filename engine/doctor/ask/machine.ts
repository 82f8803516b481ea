import { existsSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { probeProxy } from '../../adapters/socks/probe.ts';
import { databasePath, inspectDatabase } from '../../store/inspect.ts';
import type { FolderFacts, MachineFacts } from '../judge/machine.ts';

/** Bytes of a database that are read through in some tenths of a second. */
const readWhileRunning = 64_000_000;

/** In a node that runs, a large database is not read through: its swaps would wait for that. */
export async function lookAtFolder(path: string, nodeRuns: boolean): Promise<FolderFacts> {
  const there = existsSync(path);
  const boundFile = join(path, 'network');
  const { bavail, bsize } = await statfs(there ? path : nearestThere(path));
  const database = databasePath(path);
  return {
    path,
    there,
    open: there && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0,
    boundTo: existsSync(boundFile) ? readFileSync(boundFile, 'utf8').trim() : null,
    freeBytes: bavail * bsize,
    database: inspectDatabase(database, nodeRuns && sizeOf(database) > readWhileRunning ? 'none' : 'quick_check'),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function nearestThere(path: string): string {
  let at = path;
  while (!existsSync(at)) at = join(at, '..');
  return at;
}

/** Null where nothing leaves through one. */
export async function askProxy(socks: string | null, patience: number): Promise<MachineFacts['proxy']> {
  return socks === null
    ? null
    : {
        name: `the SOCKS proxy at ${new URL(socks).host}`,
        setting: 'socks',
        answer: await probeProxy(socks, patience),
      };
}
