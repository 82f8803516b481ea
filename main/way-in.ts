import { join } from 'node:path';
import type { ReadyLine } from './ready.ts';

interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** One line of JSON for programs; and beside it, for somebody at a terminal, how to get onto the page. */
export function sayReady(ready: ReadyLine, out: Stream, err: Stream): void {
  out.write(`${JSON.stringify(ready)}\n`);
  const way = wayIn(ready);
  if (err.isTTY === true && way !== null) err.write(`${way}\n`);
}

/** Null where no page is served. */
function wayIn({ ui, dataDir }: ReadyLine): string | null {
  if (ui === null) return null;
  return `The page is at ${ui.url}. It asks for the owner token, which is in ${join(dataDir, 'owner.token')}.`;
}
