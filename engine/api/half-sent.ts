import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { holderOf } from '../domain/site.ts';
import { cutOff } from './unread.ts';

/**
 * Bytes that strangers sent of bodies and messages that are not whole yet, or wait for their turn, all of them
 * together; beyond that the client is cut off of which there is most (facts/faults.md 243).
 */
const mostHalfSent = 32_000_000;
/** What a piece takes besides its bytes: whoever sends a byte at a time fills the memory with this. */
const ofAPiece = 250;

export function weightOf(piece: Buffer): number {
  return piece.length + ofAPiece;
}

interface Part {
  readonly client: string;
  readonly bytes: number;
}

/** What is in memory of each connection. */
export function createHalfSent() {
  const parts = new Map<Socket, Part>();
  let all = 0;

  function drop(socket: Socket): void {
    all -= parts.get(socket)?.bytes ?? 0;
    parts.delete(socket);
  }

  /** The largest part of the client that has most: others may send as much at once as they ever could. */
  function largest(): Socket | null {
    const ofClients = new Map<string, number>();
    for (const { client, bytes } of parts.values()) ofClients.set(client, (ofClients.get(client) ?? 0) + bytes);
    let largestSum = 0;
    let most: Socket | null = null;
    for (const [socket, { client, bytes }] of parts) {
      const sum = ofClients.get(client) ?? 0;
      if (sum < largestSum || (sum === largestSum && most !== null && bytes <= (parts.get(most)?.bytes ?? 0))) continue;
      largestSum = sum;
      most = socket;
    }
    return most;
  }

  return {
    /** How much of it there is now, 0 once nothing waits. The owner, who is no client, is never cut off. */
    holds(socket: Socket, client: string | null, bytes: number): void {
      drop(socket);
      if (client === null || bytes === 0) return;
      // However many networks a site has, it is one client (facts/faults.md 325).
      parts.set(socket, { client: holderOf(client), bytes });
      all += bytes;
      const one = all > mostHalfSent ? largest() : null;
      if (one === null) return;
      drop(one);
      cutOff(one);
    },
  };
}

export type HalfSent = ReturnType<typeof createHalfSent>;

/** How far `ws` is with what a connection sent. No type of its shows it. */
interface Reading {
  readonly _receiver: Writable & {
    /** 0 before a frame begins. */
    readonly _state: number;
    readonly _bufferedBytes: number;
    /** 0 while no message has more fragments to come. */
    readonly _fragmented: number;
  };
}

/**
 * Tells how much came over a WebSocket since nothing of it waited, and cuts it off where a message is not whole after
 * `patience` milliseconds. All that came counts: a fragment of a byte keeps all that came with it in memory.
 */
export function countHalfSent(
  webSocket: WebSocket,
  socket: Socket,
  patience: number,
  holds: (bytes: number) => void,
): void {
  const { _receiver: receiver } = webSocket as unknown as Reading;
  let held = 0;
  let looks = false;
  let timer: NodeJS.Timeout | undefined;

  const rest = (): void => {
    clearTimeout(timer);
    timer = undefined;
    held = 0;
    holds(0);
  };
  const look = (): void => {
    looks = false;
    const { writableLength, _state, _bufferedBytes, _fragmented } = receiver;
    if (socket.destroyed || writableLength + _state + _bufferedBytes + _fragmented === 0) rest();
    else timer ??= setTimeout(() => cutOff(socket), patience).unref();
  };
  /** Once `ws` is done with what it was just told of. */
  const lookSoon = (): void => {
    if (looks) return;
    looks = true;
    setImmediate(look);
  };

  socket.on('data', (piece: Buffer) => {
    held += weightOf(piece);
    holds(held);
    lookSoon();
  });
  webSocket.on('message', () => {
    clearTimeout(timer);
    timer = undefined;
    lookSoon();
  });
  webSocket.on('ping', lookSoon).on('pong', lookSoon);
  socket.once('close', rest);
}
