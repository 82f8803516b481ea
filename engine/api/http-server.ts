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

/**
 * What a connection may have of us at once, whatever its client has left of its allowance: that is only asked after
 * parsing.
 */
export function createHttpServer(handler: RequestListener, patience: number): Server {
  const unanswered = new WeakMap<Socket, number>();
  const count = (socket: Socket, by: 1 | -1): number => {
    const now = (unanswered.get(socket) ?? 0) + by;
    unanswered.set(socket, now);
    return now;
  };

  const server = createServer(options, (request, response) => {
    const { socket } = request;
    // What was parsed after the connection had been cut off.
    if (socket.destroyed) return;
    if (count(socket, 1) > mostAtOnce) {
      cutOff(socket);
      return;
    }
    response.once('close', () => count(socket, -1));
    handler(request, response);
  });
  server.timeout = patience;
  // Node leaves the connection alone where somebody listens: an answer that takes its time is no reason to close it.
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0 || (unanswered.get(socket) ?? 0) === 0) socket.destroy();
  });
  return server;
}
