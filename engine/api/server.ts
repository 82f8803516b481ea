import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { routeNames, routes, streams as streamPaths, type RouteName } from '../contract/routes.ts';
import { costs } from '../contract/routes/route.ts';
import { failed, tooMany, type Answered, type ApiLog } from './answers.ts';
import { bodyPatience, BodyRefused, largeBody, readJson, smallBody } from './body.ts';
import { clientOf, peerOf } from './client-of.ts';
import { answerPreflight, letOriginRead } from './cors.ts';
import type { Caller, Dispatch } from './dispatch.ts';
import { fileHeaders, readFiles } from './files.ts';
import { createFlood, defaultFlood, type Admit, type FloodOptions } from './flood.ts';
import { createGate, type Gate } from './gate.ts';
import { createHttpServer, quietPatience } from './http-server.ts';
import type { Service } from './service.ts';
import { bearer, createTokenCheck } from './token.ts';
import { createSockets, defaultSocketsPerClient, type Crowded } from './sockets.ts';
import { createTurns } from './turns.ts';
import { createStreams } from './ws.ts';

/** By which names and how often the server may be called; the owner changes it while the node runs. */
export interface ServerRules {
  readonly hostnames?: readonly string[];
  readonly origins?: readonly string[];
  /** Believe what a proxy on this machine adds to X-Forwarded-For. */
  readonly trustLoopbackProxy?: boolean;
  /** Null sets no limit, for benchmarks. */
  readonly flood?: FloodOptions | null;
  /** Milliseconds that a body may take. */
  readonly bodyPatience?: number;
}

export interface ServerOptions extends ServerRules {
  readonly dispatch: Dispatch;
  /** The engine, or null while there is none. */
  service(): Service | null;
  readonly ownerToken: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log: ApiLog;
  readonly ui?: { readonly directory: string };
  /** Milliseconds that an answer may wait for somebody to read it. */
  readonly quietPatience?: number;
  /** False leaves out ::1. */
  readonly ipv6?: boolean;
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** Call after the engine behind `service` was exchanged: streams listen to the new one. */
  attach(): void;
  /** Requests from here on are judged by these; what a client used up of its limit is forgotten. */
  apply(rules: ServerRules): void;
  stop(): Promise<void>;
}

interface RouteConfig {
  readonly operation?: RouteName;
  readonly allow?: string;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The name under which the owner's requests are counted; no address. */
const theOwner = 'owner';

function send(reply: FastifyReply, { status, body, type, headers }: Answered): FastifyReply {
  if (headers !== undefined) reply.headers(headers);
  reply.code(status).header('content-type', type ?? 'application/json; charset=utf-8');
  return reply.send(type === undefined ? JSON.stringify(body) : body);
}

function configOf(request: FastifyRequest): RouteConfig {
  return (request.routeOptions.config ?? {}) as RouteConfig;
}

/** Serves the table of routes, the streams and the user interface, on loopback only. */
export async function listen(options: ServerOptions): Promise<ApiServer> {
  const isOwner = createTokenCheck(options.ownerToken);
  const files = options.ui === undefined ? null : readFiles(options.ui.directory);
  let rules: ServerRules = options;
  let admitted = floodOf(rules);
  let gate = gateOf(rules, options.port);
  let stopping = false;

  const whose = (request: IncomingMessage): string =>
    isOwner(bearer(request.headers.authorization)) ? theOwner : clientOf(request, rules.trustLoopbackProxy === true);
  const turns = createTurns();
  /** The owner does not stand in the line of everybody. */
  const turnOf = (request: IncomingMessage): Promise<void> | undefined =>
    whose(request) === theOwner ? undefined : turns();
  const sockets = createSockets(() =>
    rules.flood === null ? Infinity : (rules.flood?.socketsPerClient ?? defaultSocketsPerClient),
  );
  /** Why a request is turned away before anything of it is read: its connection is one too many, or its client used up what it has. */
  const turnedAwayAs = (request: IncomingMessage, client: string, cost: number): Answered | null => {
    const crowded = sockets.serves(request.socket, client === theOwner ? null : client);
    if (crowded !== null) return tooManySockets(crowded);
    const wait = admitted(client, cost);
    return wait > 0 ? tooMany(wait) : null;
  };

  const serverFactory = (handler: RequestListener): Server =>
    createHttpServer(handler, options.quietPatience ?? quietPatience);
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: true,
    bodyLimit: largeBody,
    routerOptions: { maxParamLength: 4_096 },
    serverFactory,
    clientErrorHandler: malformed,
    frameworkErrors: (_error, request, reply) => {
      const turnedAway = gate.refusal(request.raw);
      void send(
        reply,
        turnedAway === null
          ? failed(400, 'The path of the request cannot be read.')
          : failed(turnedAway.status, turnedAway.error),
      );
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const turnedAway = gate.refusal(request.raw);
    if (turnedAway !== null) return send(reply, failed(turnedAway.status, turnedAway.error));
    letOriginRead(request.raw, reply);
    if (stopping)
      return send(reply, failed(503, 'The node is stopping: try again when it is back.', { connection: 'close' }));
    const { operation, allow } = configOf(request);
    const tooMuch = turnedAwayAs(
      request.raw,
      whose(request.raw),
      operation === undefined ? costs.read : routes[operation].cost,
    );
    if (tooMuch !== null) return send(reply, tooMuch);
    if (request.method === 'OPTIONS') return answerPreflight(request.raw, reply);
    if (allow !== undefined)
      return send(reply, failed(405, `${request.method} is not possible here: use ${allow}.`, { allow }));
    if (operation === undefined || routes[operation].access === 'public') return;
    if (routes[operation].access === 'sandbox' && options.service()?.sandbox === null)
      return send(reply, notFound(request));
    if (!isOwner(bearer(request.headers.authorization)))
      return send(
        reply,
        failed(
          401,
          "The owner token is missing or wrong: send Authorization: Bearer and the token in the node's data folder.",
          { 'www-authenticate': 'Bearer' },
        ),
      );
  });

  app.addHook('onResponse', async (request) => sockets.rests(request.raw.socket));

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) => {
    const { operation } = configOf(request);
    return readJson(
      payload,
      operation !== undefined && routes[operation].large ? largeBody : smallBody,
      rules.bodyPatience ?? bodyPatience,
      () => turnOf(request.raw),
    );
  });

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof BodyRefused)
      return send(reply, failed(error.status, error.message, error.unread ? { connection: 'close' } : undefined));
    const { statusCode } = error as { statusCode?: number };
    if (statusCode === 415)
      return send(
        reply,
        failed(415, 'Only JSON is read here: send the header Content-Type: application/json.', { connection: 'close' }),
      );
    if (statusCode === 413)
      return send(reply, failed(413, 'The body is too large: send a smaller request.', { connection: 'close' }));
    if (statusCode === 400)
      return send(reply, failed(400, 'The request is malformed: check its headers and its body.'));
    options.log.error(
      { operation: configOf(request).operation ?? 'unknown', err: error },
      'a request failed in the server',
    );
    return send(
      reply,
      failed(500, 'The node failed on this request and has noted why: read the swap before you try again.'),
    );
  });

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    if (path === streamPaths.status || path === streamPaths.owner)
      return send(reply, failed(426, 'This is a WebSocket: open it with ws:// instead.', { upgrade: 'websocket' }));
    const file = request.method === 'GET' || request.method === 'HEAD' ? files?.get(path) : undefined;
    if (file === undefined) return send(reply, notFound(request));
    return reply.code(200).headers(fileHeaders(file)).send(file.bytes);
  });

  addRoutes(app, options.dispatch, async (request, operation) => {
    const client = whose(request);
    if (client !== theOwner && operation !== 'health') await turns();
    return {
      client: client === theOwner ? null : client,
      charge: (units) => (units > 0 ? admitted(client, units) : 0),
    };
  });
  await app.ready();

  const streams = createStreams({
    service: options.service,
    gate: () => gate,
    isOwner,
    turnedAwayAs: (request, owner, cost) => turnedAwayAs(request, owner ? theOwner : whose(request), cost),
    charge: (request, cost) => admitted(whose(request), cost),
    log: options.log,
  });
  const servers: Server[] = [app.server];
  const came = (socket: Socket): void => sockets.came(socket, peerOf(socket, rules.trustLoopbackProxy === true));
  app.server.on('upgrade', streams.upgrade).on('connection', came);
  try {
    await app.listen({ host: '127.0.0.1', port: options.port });
  } catch (cause) {
    streams.stop();
    throw portError(cause, options.port);
  }
  const { port } = app.server.address() as AddressInfo;
  gate = gateOf(rules, port);
  if (options.ipv6 !== false) {
    const second = await listenSix(app, port, serverFactory);
    second?.on('upgrade', streams.upgrade).on('connection', came).on('clientError', malformed);
    if (second !== null) servers.push(second);
  }
  streams.attach();

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    attach: () => streams.attach(),
    apply(next) {
      rules = next;
      admitted = floodOf(rules);
      gate = gateOf(rules, port);
    },
    async stop() {
      stopping = true;
      streams.stop();
      for (const server of servers.slice(1)) {
        server.close();
        server.closeAllConnections();
      }
      await app.close();
    },
  };
}

function tooManySockets(crowded: Crowded): Answered {
  const headers = { connection: 'close', 'retry-after': '5' };
  if (crowded === 'client')
    return failed(
      429,
      'Too many connections from this address are open: close some, or use those that are open.',
      headers,
    );
  return failed(503, 'The node has as many connections open as it takes: try again in a moment.', headers);
}

function gateOf({ hostnames = [], origins = [] }: ServerRules, port: number): Gate {
  return createGate({ port, hostnames, origins });
}

function floodOf({ flood }: ServerRules): Admit<string> {
  return flood === null ? () => 0 : createFlood(flood ?? defaultFlood);
}

function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function notFound(request: FastifyRequest): Answered {
  return failed(404, `There is no ${request.method} here at this path: GET /openapi.json lists every operation.`);
}

function addRoutes(
  app: FastifyInstance,
  dispatch: Dispatch,
  admitted: (request: IncomingMessage, operation: RouteName) => Promise<Pick<Caller, 'client' | 'charge'>>,
): void {
  const allowed = new Map<string, string[]>();
  for (const name of routeNames) {
    const { method, path } = routes[name];
    const url = path.replace(/\{(\w+)\}/g, ':$1');
    allowed.set(url, [...(allowed.get(url) ?? []), method]);
    app.route({
      method,
      url,
      config: { operation: name } satisfies RouteConfig,
      handler: async (request, reply) => {
        const closed = new AbortController();
        const abort = (): void => closed.abort();
        reply.raw.once('close', abort);
        const developerKey = request.headers['x-developer-key'];
        const answered = await dispatch(
          name,
          { params: request.params, query: request.query, body: request.body },
          {
            developerKey: typeof developerKey === 'string' && developerKey !== '' ? developerKey : null,
            signal: closed.signal,
            ...(await admitted(request.raw, name)),
          },
        );
        reply.raw.off('close', abort);
        return send(reply, answered);
      },
    });
  }
  for (const [url, served] of allowed) {
    const others = methods.filter((method) => !served.includes(method));
    app.route({
      method: [...others],
      url,
      config: { allow: served.join(', ') } satisfies RouteConfig,
      handler: () => undefined,
    });
  }
}

/** What Node's parser could not read, and headers that never end: answered in our own shape. */
function malformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, sentence] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request did not arrive in time: send it faster.']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large: send fewer.']
        : ['400 Bad Request', 'The request is not HTTP as this server reads it.'];
  const body = JSON.stringify({ error: sentence });
  // The other end may keep its half open for ever.
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function portError(cause: unknown, port: number): Error {
  if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken by another program: stop it, or choose another port.`, { cause });
  if ((cause as NodeJS.ErrnoException).code === 'EACCES')
    return new Error(`Port ${port} needs rights this program does not have: choose a port above 1023.`, { cause });
  return cause instanceof Error ? cause : new Error('The server could not listen.', { cause });
}

/** The same server at ::1; null on a machine without IPv6. */
function listenSix(
  app: FastifyInstance,
  port: number,
  serverFactory: (handler: RequestListener) => Server,
): Promise<Server | null> {
  const server = serverFactory(app.routing);
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'EAFNOSUPPORT') resolve(null);
      else app.close().then(() => reject(portError(cause, port)), reject);
    });
    server.listen({ host: '::1', port, ipv6Only: true }, () => resolve(server));
  });
}
