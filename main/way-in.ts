import { join } from 'node:path';
import type { ReadyLine } from './ready.ts';

/** What somebody at a terminal has to know to get onto the page; null where none is served. */
export function wayIn({ ui, dataDir }: Pick<ReadyLine, 'ui' | 'dataDir'>): string | null {
  if (ui === null) return null;
  return `The page is at ${ui.url}. It asks for the owner token, which is in ${join(dataDir, 'owner.token')}.`;
}
