import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds for a whole request; longer than a body may take, so that the sentence for a slow body is ours. */
const requestTimeout = 30_000;
/** Milliseconds that an idle connection is kept for its next request. */
const keepAliveTimeout = 72_000;
/**
 * Milliseconds without a sign of life after which a connection on which nothing is going on, or whose answer nobody
 * reads, is closed.
 */
export const quietPatience = 60_000;

/**
 * Requests of one connection that wait for their answers. Hardly a client sends a second one before the first is
 * answered; whoever sends a thousand in one piece has them all parsed in one turn of the event loop, and the owner, a
 * claim and a deadline wait meanwhile (facts/faults.md 43).
 */
const mostAtOnce = 8;

/**
 * Bytes that strangers have not read of their answers, all of them together; beyond that whoever leaves most unread is
 * cut off. A thousand connections of which nobody reads would else fill the memory (facts/faults.md 177).
 */
const mostUnread = 32_000_000;

const options = {
  requestTimeout,
  keepAliveTimeout,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  insecureHTTPParser: false,
  /** Clients that offer HTTP/2 with every request stay ordinary clients. */
  shouldUpgradeCallback: (request: IncomingMessage): boolean => request.headers.upgrade?.toLowerCase() === 'websocket',
};

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
function cutOff(socket: Socket): void {
  const { parser } = socket as Parsed;
  if (parser?.onIncoming !== undefined) parser.onIncoming = parseNoMore;
  socket.destroy();
}

/** Connections of strangers that wait for their answers, or read them. */
function createUnread() {
  const sockets = new Set<Socket>();
  return {
    add: (socket: Socket) => void sockets.add(socket),
    delete: (socket: Socket) => void sockets.delete(socket),
    /** After each answer: the one that is cut off left at least as much unread as this answer brought. */
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

/**
 * What a connection may have of us at once, whatever its client has left of its allowance: that is only asked after
 * parsing. Its requests are answered one after the other: who reads no answer has no second one made. `isOwners`: whose
 * answers are never cut off.
 */
export function createHttpServer(
  handler: RequestListener,
  patience: number,
  isOwners: (request: IncomingMessage) => boolean = () => false,
): Server {
  /** What each connection sent and has not read the answers to; the first is the one at work. */
  const requests = new WeakMap<Socket, (() => void)[]>();
  const unread = createUnread();

  const server = createServer(options, (request, response) => {
    const { socket } = request;
    // What was parsed after the connection had been cut off.
    if (socket.destroyed) return;
    const inTurn = requests.get(socket) ?? [];
    requests.set(socket, inTurn);
    if (inTurn.length === mostAtOnce) {
      cutOff(socket);
      return;
    }
    const begin = (): void => {
      if (!isOwners(request)) unread.add(socket);
      response.once('prefinish', unread.bound);
      handler(request, response);
    };
    response.once('close', () => {
      unread.delete(socket);
      inTurn.shift();
      // One that ends with this answer has no place for another.
      if (socket.writable) inTurn[0]?.();
    });
    if (inTurn.push(begin) === 1) begin();
  });
  server.timeout = patience;
  // Node leaves the connection alone where somebody listens: an answer that takes its time is no reason to close it.
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0 || (requests.get(socket)?.length ?? 0) === 0) socket.destroy();
  });
  return server;
}
