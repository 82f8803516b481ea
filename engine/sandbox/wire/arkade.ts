import type { IncomingMessage, ServerResponse } from 'node:http';
import { OperatorAway, OperatorError } from '../world/arkade/errors.ts';
import type { Operator } from '../world/arkade/operator.ts';
import { Body, readBody } from './arkade/request.ts';
import { routes } from './arkade/routes.ts';
import { type ArkadeServer, reply, serveOperator } from './arkade/server.ts';
import { type StreamCall, batchStream, filterStream, scriptStream, transactionStream } from './arkade/streams.ts';

/** The operator behind arkd's HTTP and event streams. */
export function serveArkade(
  operator: Operator,
  options: { port: number; heartbeatMs?: number },
): Promise<ArkadeServer> {
  const heartbeatMs = options.heartbeatMs ?? 60_000;
  return serveOperator(options.port, (request, response, url) => answer(operator, request, response, url, heartbeatMs));
}

async function answer(
  operator: Operator,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  heartbeatMs: number,
): Promise<void> {
  if (operator.faults.isAway) throw new OperatorAway('the operator is away');
  if (request.method === 'OPTIONS') {
    response.writeHead(200, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, GET, OPTIONS',
      'access-control-allow-headers': 'content-type, x-digest, x-build-version',
    });
    response.end();
    return;
  }
  if (request.method === 'GET' && openStream(operator, request, response, url, heartbeatMs)) return;
  const route = routes.find(({ method, path }) => method === request.method && path.test(url.pathname));
  if (route === undefined) throw new OperatorError(5, 'Not Found');
  const body = request.method === 'POST' ? await readBody(request) : new Body({});
  const digest = request.headers['x-digest'];
  if (request.method === 'POST' && !url.pathname.startsWith('/v1/indexer/'))
    operator.checkDigest(typeof digest === 'string' ? digest : '');
  const path = (route.path.exec(url.pathname) ?? []).slice(1);
  reply(response, 200, route.answer(operator, { path, query: url.searchParams, body }));
}

/** Whether the request asked for a stream. */
function openStream(
  operator: Operator,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  heartbeatMs: number,
): boolean {
  const call: StreamCall = { response, heartbeatMs, onClose: (close) => void response.once('close', close) };
  const subscription = /^\/v1\/indexer\/script\/subscription\/([^/]+)$/.exec(url.pathname)?.[1];
  const isStream =
    subscription !== undefined || ['/v1/batch/events', '/v1/txs', '/v1/indexer/subscription'].includes(url.pathname);
  if (!isStream) return false;
  if (!(request.headers.accept ?? '').includes('text/event-stream'))
    throw new OperatorError(12, 'Streaming Method Not Allowed');
  const digest = request.headers['x-digest'];
  if (!url.pathname.startsWith('/v1/indexer/')) operator.checkDigest(typeof digest === 'string' ? digest : '');
  if (subscription !== undefined) scriptStream(operator, subscription, call);
  else if (url.pathname === '/v1/batch/events') batchStream(operator, url.searchParams.getAll('topics'), call);
  else if (url.pathname === '/v1/txs') transactionStream(operator, call);
  else filterStream(operator, url.searchParams.getAll('filter.scripts.add'), call);
  return true;
}
