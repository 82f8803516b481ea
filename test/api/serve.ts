import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { openapi } from '../../engine/contract/openapi.ts';
import { createDispatch } from '../../engine/api/dispatch.ts';
import { listen, type ApiServer, type ServerOptions } from '../../engine/api/server.ts';
import type { Service } from '../../engine/api/service.ts';
import { memoryService, type MemoryService } from './memory-service.ts';

export const ownerToken = 'f'.repeat(64);

export interface Serving {
  readonly server: ApiServer;
  readonly service: MemoryService;
  readonly logged: { fields: Readonly<Record<string, unknown>>; text: string }[];
}

export async function serve(change: Partial<ServerOptions> & { sandbox?: Service['sandbox'] } = {}): Promise<Serving> {
  const { sandbox = null, ...options } = change;
  const service: MemoryService = Object.assign(memoryService(), { sandbox });
  const logged: Serving['logged'] = [];
  const log = {
    error: (fields: Readonly<Record<string, unknown>>, text: string) => void logged.push({ fields, text }),
  };
  const dispatch = createDispatch({ service: () => service, openapi: openapi('0.1.0'), log });
  const server = await listen({ dispatch, service: () => service, ownerToken, port: 0, log, ...options });
  return { server, service, logged };
}

/** The same for one test, after which it is stopped. */
export async function serving(options: Partial<ServerOptions> = {}): Promise<Serving> {
  const started = await serve(options);
  onTestFinished(() => started.server.stop());
  return started;
}

export async function servingPort(options: Partial<ServerOptions> = {}): Promise<number> {
  return (await serving(options)).server.port;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes text to the server as it stands and reads until the connection closes: what no HTTP client would send. */
export function raw(port: number, text: string, host = '127.0.0.1'): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, host, () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(read(answer)));
  });
}

function read(answer: string): RawReply {
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1]), headers, body };
}

/** A request line and headers, closed after the answer. */
export function request(line: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const all = {
    connection: 'close',
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  return `${line} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
}

/** Asks for a WebSocket as any client does (RFC 6455, 1.2). */
export function upgrade(port: number): string {
  return request('GET /ws', {
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  });
}
