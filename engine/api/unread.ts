import type { Socket } from 'node:net';

/**
 * Bytes that strangers have not read of what they were sent, all of them together; beyond that whoever leaves most
 * unread is cut off. A thousand connections of which nobody reads would else fill the memory (facts/faults.md 177,
 * 186).
 */
const mostUnread = 32_000_000;

/**
 * Node's parser of a connection, and what it calls with each request whose headers are complete. No type of Node's
 * shows it.
 */
interface Parsed {
  readonly parser?: { onIncoming?: () => number } | null;
}

/** As after the headers of an upgrade: nothing that follows is HTTP. */
const parseNoMore = (): number => 2;

/**
 * Without a word to the parser it would go on with all that it holds of a connection that is gone, some milliseconds
 * each.
 */
export function cutOff(socket: Socket): void {
  const { parser } = socket as Parsed;
  if (parser?.onIncoming !== undefined) parser.onIncoming = parseNoMore;
  socket.destroy();
}

/** Connections of strangers that wait for their answers, or read them, and those of their WebSockets. */
export function createUnread() {
  const sockets = new Set<Socket>();
  return {
    add: (socket: Socket) => void sockets.add(socket),
    delete: (socket: Socket) => void sockets.delete(socket),
    /** After each answer or frame: the one that is cut off left at least as much unread as that brought. */
    bound(): void {
      let all = 0;
      let slowest: Socket | null = null;
      for (const socket of sockets) {
        all += socket.writableLength;
        if (slowest === null || socket.writableLength > slowest.writableLength) slowest = socket;
      }
      if (all > mostUnread && slowest !== null) cutOff(slowest);
    },
  };
}

export type Unread = ReturnType<typeof createUnread>;
