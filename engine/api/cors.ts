import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Headers that published clients send; their values are ignored (facts/clients.md 11). */
const clientHeader = /^x-(lendaswap|satora)-[a-z0-9-]{1,60}$/;
const ownHeaders = new Set(['content-type', 'authorization', 'x-developer-key', 'accept', 'referral']);

/** For an origin that passed the gate: it may read the answer. Never a wildcard, never credentials. */
export function letOriginRead(request: IncomingMessage, reply: FastifyReply): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after, x-next-cursor',
  });
}

/** What a browser asks before it sends a request with headers or a method of its own. */
export function answerPreflight(request: IncomingMessage, reply: FastifyReply): FastifyReply {
  const allowedHeaders = String(request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => ownHeaders.has(name) || clientHeader.test(name));
  reply.headers({
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': allowedHeaders.length === 0 ? 'content-type' : allowedHeaders.join(', '),
    'access-control-max-age': '600',
  });
  return reply.code(204).send();
}
