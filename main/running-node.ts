import { join } from 'node:path';
import { readIfThere } from './folder.ts';
import type { ReadyLine } from './host.ts';

/** A node that runs on a data folder, as its owner reaches it. */
export interface RunningNode {
  readonly url: string;
  readonly token: string;
}

/** Null where no node answers for the folder. */
export async function runningNode(folder: string, path: string): Promise<RunningNode | null> {
  const line = readIfThere(join(folder, 'ready.json'));
  const token = readIfThere(join(folder, 'owner.token'))?.trim();
  if (line === null || token === undefined) return null;
  const { url } = JSON.parse(line) as ReadyLine;
  try {
    const reply = await askOwner({ url, token }, path, 5_000);
    return reply.ok ? { url, token } : null;
  } catch {
    return null; // A node that was killed leaves its line behind.
  }
}

/** Reads one of the owner's routes; `patience` in milliseconds. */
export function askOwner({ url, token }: RunningNode, path: string, patience: number): Promise<Response> {
  return fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(patience),
  });
}
