import type { IncomingMessage, RequestListener, Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { routes, streams as streamPaths, type RouteName } from '../contract/routes.ts';
import { costs } from '../contract/routes/route.ts';
import type { Admission } from './admission.ts';
import { crashed, failed, unserved, type Answered, type ApiLog } from './answers.ts';
import { largeBody, readJson, smallBody } from './body.ts';
import { answerPreflight, letOriginRead } from './cors.ts';
import type { Dispatch } from './dispatch.ts';
import { doorPath, type Door } from './door.ts';
import { fileHeaders, readFiles } from './files.ts';
import type { HalfSent } from './half-sent.ts';
import { answerMalformed, answerToError } from './request-errors.ts';
import { addRoutes, routeOf, untilClosed } from './routes.ts';
import { send } from './send.ts';
import type { Service } from './service.ts';

export interface AppOptions {
  readonly admission: Admission;
  readonly dispatch: Dispatch;
  /** The engine, or null while there is none. */
  service(): Service | null;
  readonly serverOf: (handler: RequestListener) => Server;
  readonly ui?: { readonly directory: string };
  /** Null while there is none. */
  door(): Door | null;
  stopping(): boolean;
  readonly halfSent: HalfSent;
  readonly log: ApiLog;
}

/** What becomes of a request on its way to an operation, a file of the user interface, or the sentence why not. */
export function createApp(options: AppOptions): FastifyInstance {
  const { admission } = options;
  const files = options.ui === undefined ? null : readFiles(options.ui.directory);
  const refusedAtGate = (request: IncomingMessage): Answered | null => {
    const refusal = admission.gate().refusal(request);
    return refusal === null ? null : failed(refusal.status, refusal.error);
  };

  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: true,
    bodyLimit: largeBody,
    routerOptions: { maxParamLength: 4_096 },
    serverFactory: options.serverOf,
    clientErrorHandler: answerMalformed,
    frameworkErrors: (_error, request, reply) => {
      void send(reply, refusedAtGate(request.raw) ?? failed(400, 'The path of the request cannot be read.'));
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const atGate = refusedAtGate(request.raw);
    if (atGate !== null) return send(reply, atGate);
    letOriginRead(request.raw, reply);
    const { operation, allow } = routeOf(request);
    if (options.stopping())
      return send(reply, unserved(operation, 'The node is stopping: try again when it is back.', closing));
    const cost = operation === undefined ? doorCost(options.door(), request) : routes[operation].cost;
    // Who used up what a client has of requests and connections keeps no owner from asking whom it speaks to.
    const tooMuch = operation === 'proof' ? null : admission.turnedAwayAs(request.raw, cost);
    if (tooMuch !== null) return send(reply, tooMuch);
    if (request.method === 'OPTIONS') return answerPreflight(request.raw, reply);
    if (allow !== undefined)
      return send(reply, failed(405, `${request.method} is not possible here: use ${allow}.`, { allow }));
    if (operation === undefined || routes[operation].access === 'public') return;
    if (routes[operation].access === 'sandbox' && options.service()?.sandbox === null)
      return send(reply, notFound(request));
    if (!admission.isOwners(request.raw)) return send(reply, withoutToken);
  });

  app.addHook('onResponse', async (request) => admission.rests(request.raw.socket));

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) => {
    const { operation } = routeOf(request);
    const { client } = admission.callerOf(request.raw);
    return readJson(payload, {
      limit: operation !== undefined && routes[operation].large ? largeBody : smallBody,
      patience: admission.bodyPatience(),
      holds: (bytes) => options.halfSent.holds(request.raw.socket, client, bytes),
      turn: () => admission.turnOf(request.raw),
    });
  });

  app.setErrorHandler((error, request, reply) =>
    send(reply, answerToError(error, routeOf(request).operation ?? 'unknown', options.log)),
  );

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    if (path === streamPaths.status || path === streamPaths.owner)
      return send(reply, failed(426, 'This is a WebSocket: open it with ws:// instead.', { upgrade: 'websocket' }));
    const readable = request.method === 'GET' || request.method === 'HEAD' ? files : null;
    const file = readable?.get(path);
    if (file === undefined && readable?.has(`${path}/`) === true) return reply.redirect(`${path}/`, 308);
    if (file === undefined) return send(reply, notFound(request));
    return reply.code(200).headers(fileHeaders(file)).send(file.bytes);
  });

  addRoutes(app, options.dispatch, async ({ raw }, operation) => {
    // A node that is asked whether it lives, or who it is, answers at once.
    if (!answeredAtOnce.has(operation)) await admission.turnOf(raw);
    return admission.callerOf(raw);
  });
  app.route({
    method: ['GET', 'POST', 'PATCH'],
    url: `${doorPath}*`,
    handler: async (request, reply) => send(reply, await throughDoor(options, request, untilClosed(reply))),
  });
  return app;
}

/** What is below the path of the door costs what the door says. */
function doorCost(door: Door | null, { method, url }: FastifyRequest): number {
  const path = pathOf(url);
  return door === null || !path.startsWith(doorPath) ? costs.read : door.cost(method, path.slice(doorPath.length));
}

/** A door that is shut is no door: what its paths are does not show. */
async function throughDoor(
  { door, admission, log }: AppOptions,
  request: FastifyRequest,
  signal: AbortSignal,
): Promise<Answered> {
  await admission.turnOf(request.raw);
  const open = door();
  if (open === null) return notFound(request);
  const { method, url, body } = request;
  try {
    return await open.answer({
      method,
      path: pathOf(url).slice(doorPath.length),
      headers: request.headers,
      query: new URLSearchParams(url.split('?', 2)[1] ?? ''),
      body,
      signal,
      ...admission.callerOf(request.raw),
    });
  } catch (cause) {
    return crashed(cause, doorPath, log);
  }
}

const closing = { connection: 'close' };

const answeredAtOnce: ReadonlySet<RouteName> = new Set<RouteName>(['health', 'live', 'ready', 'proof']);

const withoutToken = failed(
  401,
  "The owner token is missing or wrong: send Authorization: Bearer and the token in the node's data folder.",
  { 'www-authenticate': 'Bearer' },
);

/** Two words where the directions stand: a pair that nobody swaps here, and no path that somebody mistyped. */
const pairPath = /^\/swap\/([a-z]{1,20}|\d{1,10})\/([a-z]{1,20}|\d{1,10})$/i;

function notFound(request: FastifyRequest): Answered {
  const [, source, target] = request.method === 'POST' ? (pairPath.exec(pathOf(request.url)) ?? []) : [];
  if (source !== undefined && target !== undefined)
    return failed(404, `There is no swap from ${source} to ${target} here: GET /swap-pairs lists what there is.`);
  return failed(404, `There is no ${request.method} here at this path: GET /openapi.json lists every operation.`);
}

function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
