import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from './folder.ts';
import { writePrivate } from './private-file.ts';

/** The one line on standard output, also kept as `ready.json` in the data folder while the node runs. */
export interface ReadyLine {
  readonly event: 'ready';
  readonly url: string;
  readonly ui: { readonly url: string } | null;
  readonly network: string;
  readonly dataDir: string;
}

const fileIn = (folder: string): string => join(folder, 'ready.json');

export function writeReady(folder: string, line: ReadyLine): void {
  writePrivate(fileIn(folder), Buffer.from(`${JSON.stringify(line)}\n`));
}

/** What a node that was killed left behind names a port that anybody may have by now. */
export function forgetReady(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/** Null where no node says that it is ready. */
export function readReady(folder: string): ReadyLine | null {
  const line = readIfThere(fileIn(folder));
  return line === null ? null : (JSON.parse(line) as ReadyLine);
}
