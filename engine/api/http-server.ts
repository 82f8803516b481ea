import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { createUnread, cutOff, type Unread } from './unread.ts';

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

interface Turn {
  readonly hasBody: boolean;
  begin(): void;
}

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
 * What a connection may have of us at once, whatever its client has left of its allowance: that is only asked after
 * parsing. Its requests are answered one after the other: who reads no answer has no second one made. `isOwners`: whose
 * answers are never cut off.
 */
export function createHttpServer(
  handler: RequestListener,
  patience: number,
  isOwners: (request: IncomingMessage) => boolean = () => false,
  unread: Unread = createUnread(),
): Server {
  /** What each connection sent and has not read the answers to; the first is the one at work. */
  const requests = new WeakMap<Socket, Turn[]>();

  const server = createServer(options, (request, response) => {
    const { socket } = request;
    // What was parsed after the connection had been cut off.
    if (socket.destroyed) return;
    const inTurn = requests.get(socket) ?? [];
    requests.set(socket, inTurn);
    const hasBody = bringsBody(request);
    // Of each body that waits as much as sixty-four kilobytes is in memory, which nobody counts.
    if (inTurn.length === mostAtOnce || (hasBody && inTurn.slice(1).some((turn) => turn.hasBody))) {
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
      if (socket.writable) inTurn[0]?.begin();
    });
    if (inTurn.push({ hasBody, begin }) === 1) begin();
  });
  server.timeout = patience;
  // Node leaves the connection alone where somebody listens: an answer that takes its time is no reason to close it.
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0 || (requests.get(socket)?.length ?? 0) === 0) socket.destroy();
  });
  return server;
}

function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
