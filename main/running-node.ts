import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createClient, httpTransport, type Fetch } from '../engine/contract/client.ts';
import { proveNode } from '../engine/contract/node-proof.ts';
import { readIfThere } from './folder.ts';
import { folderHolder } from './lock.ts';
import { readReady } from './ready.ts';

/** A node that runs on a data folder, as its owner reaches it. */
export interface RunningNode {
  readonly url: string;
  readonly token: string;
}

/** Null where no node answers for the folder. */
export async function runningNode(folder: string, path: string): Promise<RunningNode | null> {
  if (folderHolder(folder) === null) return null;
  const url = readReady(folder)?.url;
  const token = readIfThere(join(folder, 'owner.token'))?.trim();
  if (url === undefined || token === undefined) return null;
  try {
    const reply = await askOwner({ url, token }, path, 5_000);
    return reply.ok ? { url, token } : null;
  } catch {
    return null; // It is stopping, or another program has its port.
  }
}

/** Reads one of the owner's routes, once who answers has shown the token too; `patience` in milliseconds. */
export async function askOwner({ url, token }: RunningNode, path: string, patience: number): Promise<Response> {
  const patiently: Fetch = (to, init) => fetch(to, { ...init, signal: AbortSignal.timeout(patience) });
  const nonce = randomBytes(32).toString('hex');
  await proveNode(createClient(httpTransport(url, patiently)), token, { nonce, origin: url });
  return fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(patience),
  });
}
