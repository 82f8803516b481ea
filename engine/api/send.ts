import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Answered } from './answers.ts';

export function send(reply: FastifyReply, { status, body, type, headers }: Answered): FastifyReply {
  if (headers !== undefined) reply.headers(headers);
  reply.code(status).header('content-type', type ?? 'application/json; charset=utf-8');
  return reply.send(type === undefined ? JSON.stringify(body) : body);
}

/** The answer as the last thing on a connection that the server has no reply for. */
export function sendAndClose(socket: Duplex, { status, body: content, headers }: Answered): void {
  const body = JSON.stringify(content);
  const given = Object.entries(headers ?? {}).filter(([name]) => name !== 'connection');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...given.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.on('error', () => socket.destroy());
  // The other end may keep its half open for ever.
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
