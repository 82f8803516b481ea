import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** What the node's process holds once everything was let go that nobody needs, MB. */
interface Memory {
  readonly heap: number;
  readonly resident: number;
}

/** Memory of one life of the node after its warm-up and at its end. */
export interface Life {
  readonly seconds: number;
  readonly warm: Memory;
  readonly end: Memory;
}

const megabyte = 1_048_576;
const patienceMs = 10_000;
const inspectors = new Map<number, string>();

/** For the node under test: its inspector, once it is asked for, takes a port that nobody has. */
export const inspectable = '--inspect-port=0';

/** Of the process that the data folder names. V8 lets garbage lie while there is room: it is swept first. */
export async function memoryOf(dataDir: string, log: () => string): Promise<Memory & { readonly pid: number }> {
  const pid = Number(readFileSync(join(dataDir, 'sluice.pid'), 'utf8'));
  const socket = await connected(inspectors.get(pid) ?? (await inspectorOf(pid, log)));
  try {
    // Twice: what the first one finalizes lets go of more.
    await called(socket, 1, 'HeapProfiler.collectGarbage');
    await called(socket, 2, 'HeapProfiler.collectGarbage');
    const { usedSize } = await called(socket, 3, 'Runtime.getHeapUsage');
    return { pid, heap: Number(usedSize) / megabyte, resident: residentOf(pid) };
  } finally {
    socket.terminate();
  }
}

/** A node that is flooded may have no room for one connection more at the first try. */
async function connected(url: string): Promise<WebSocket> {
  for (const deadline = Date.now() + patienceMs; ; await pause(100)) {
    const socket = new WebSocket(url);
    try {
      await once(socket, 'open');
      return socket;
    } catch (cause) {
      if (Date.now() > deadline) throw new Error(`the inspector of the node: ${String(cause)}`, { cause });
    }
  }
}

async function inspectorOf(pid: number, log: () => string): Promise<string> {
  process.kill(pid, 'SIGUSR1');
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await pause(10)) {
    const url = /Debugger listening on (ws:\S+)/.exec(log())?.[1];
    if (url === undefined) continue;
    inspectors.set(pid, url);
    return url;
  }
  throw new Error(`process ${pid} says nothing of its inspector`);
}

function called(socket: WebSocket, id: number, method: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const listener = (data: Buffer): void => {
      const answer = JSON.parse(data.toString()) as { id?: number; result?: Record<string, unknown> };
      if (answer.id !== id) return;
      socket.off('message', listener);
      resolve(answer.result ?? {});
    };
    socket.on('message', listener).once('error', reject);
    socket.send(JSON.stringify({ id, method }));
  });
}

function residentOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
