import { WebSocket } from 'ws';
import type { Json } from '../stories/client/http.ts';
import type { WireNode } from '../stories/wire-node.ts';

/** A plain WebSocket at the door. */
export interface Listener {
  say(frame: unknown): void;
  /** The next frame, or the one after those that are passed over. */
  hear(passes?: (frame: Json) => boolean): Promise<Json>;
  readonly closed: Promise<number>;
  close(): void;
}

export function listenAt(node: WireNode): Promise<Listener> {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/v2/ws`);
  const frames: Json[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)) as Json);
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () =>
      resolve({
        say: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
        hear: (passes = () => true) =>
          new Promise((resolveFrame) => {
            function look(): void {
              const at = frames.findIndex(passes);
              if (at < 0) return;
              waiting.delete(look);
              resolveFrame(frames.splice(0, at + 1)[at] as Json);
            }
            waiting.add(look);
            look();
          }),
        closed,
        close: () => socket.close(),
      }),
    );
  });
}

/** What is said of a swap to who listens from now on, as it comes. */
export async function wordsOf(node: WireNode, id: string): Promise<readonly unknown[]> {
  const words: unknown[] = [];
  const peer = await listenAt(node);
  peer.say(subscribe(id));
  await peer.hear();
  void (async () => {
    for (;;) words.push((((await peer.hear())['args'] as Json[])[0] ?? {})['status']);
  })();
  return words;
}

export const subscribe = (...args: readonly string[]) => ({ op: 'subscribe', channel: 'swap.update', args });
