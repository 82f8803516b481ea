import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { SwapStatus } from '../domain/status.ts';
import { streams } from '../contract/routes.ts';
import { costs } from '../contract/routes/route.ts';
import type { ApiLog } from './answers.ts';
import type { Admit } from './flood.ts';
import type { Gate } from './gate.ts';
import type { Service } from './service.ts';
import { statusStream } from './status-stream.ts';

export interface StreamOptions {
  service(): Service | null;
  gate(): Gate;
  isOwner(token: string | undefined): boolean;
  readonly admit: Admit<IncomingMessage>;
  readonly log: ApiLog;
  /** Milliseconds between signs of life. */
  readonly heartbeat?: number;
}

export interface Streams {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Called when the engine behind the server was exchanged. */
  attach(): void;
  stop(): void;
}

const mostConnections = 1_024;
/** A reader so slow that this much waits for it is cut off; it reconnects and asks for a snapshot. */
const mostWaiting = 1024 * 1024;

/** The two WebSocket endpoints: `/ws` for everybody, `/owner/events` for who has the token. */
export function createStreams(options: StreamOptions): Streams {
  const server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024, handleProtocols: (protocols) => protocols.values().next().value ?? false });
  const alive = new WeakSet<WebSocket>();
  const owners = new Set<WebSocket>();
  const statuses = statusStream((ids) => options.service()?.statuses(ids).statuses ?? [], send, (socket, ids) => affords(socket, ids * costs.id));
  const requests = new WeakMap<WebSocket, IncomingMessage>();
  let detach: (() => void)[] = [];

  function send(socket: WebSocket, frame: unknown): void {
    sendText(socket, JSON.stringify(frame));
  }

  function sendText(socket: WebSocket, text: string): void {
    if (socket.bufferedAmount > mostWaiting) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.send(text);
  }

  /** Frames count like requests: what a socket asks for comes out of its client's allowance. */
  function affords(socket: WebSocket, cost: number): boolean {
    const request = requests.get(socket);
    if (request !== undefined && options.admit(request, cost) === 0) return true;
    socket.close(1008, 'too many messages');
    return false;
  }

  function attach(): void {
    for (const stop of detach) stop();
    const service = options.service();
    detach =
      service === null
        ? []
        : [
            service.onStatus((id: string, status: SwapStatus) => statuses.changed(id, status)),
            service.owner.onEvent((event) => {
              const text = JSON.stringify(event);
              for (const socket of owners) sendText(socket, text);
            }),
          ];
  }

  function welcome(socket: WebSocket, request: IncomingMessage, isOwner: boolean): void {
    alive.add(socket);
    socket.on('pong', () => alive.add(socket));
    socket.on('error', () => socket.terminate());
    if (isOwner) {
      owners.add(socket);
      socket.on('close', () => owners.delete(socket));
      return;
    }
    requests.set(socket, request);
    socket.on('close', () => statuses.left(socket));
    socket.on('message', (data, binary) => {
      if (!affords(socket, costs.read)) return;
      try {
        statuses.message(socket, binary ? '' : String(data));
      } catch (cause) {
        options.log.error({ operation: streams.status, err: cause }, 'a status frame failed');
        send(socket, { op: 'error', message: 'The node failed on this frame.' });
      }
    });
  }

  const beat = setInterval(() => {
    for (const socket of server.clients) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, options.heartbeat ?? 30_000);
  beat.unref();

  return {
    attach,
    upgrade(request, socket, head) {
      const refusal = refuseUpgrade(options, request, server.clients.size);
      if (refusal !== null) return reject(socket, refusal);
      const isOwner = pathOf(request) === streams.owner;
      server.handleUpgrade(request, socket, head, (connection) => welcome(connection, request, isOwner));
    },
    stop() {
      clearInterval(beat);
      for (const stop of detach) stop();
      detach = [];
      for (const socket of server.clients) socket.close(1001, 'the node is stopping');
      const cut = setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, 1_000);
      cut.unref();
      server.close();
    },
  };
}

interface UpgradeRefusal {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const reasons: Readonly<Record<number, string>> = { 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 429: 'Too Many Requests', 503: 'Service Unavailable' };

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

function refuseUpgrade(options: StreamOptions, request: IncomingMessage, connections: number): UpgradeRefusal | null {
  const turnedAway = options.gate().refusal(request);
  if (turnedAway !== null) return turnedAway;
  const wait = options.admit(request, costs.read);
  if (wait > 0) return { status: 429, error: `Too many requests: wait ${wait} seconds.`, headers: { 'retry-after': String(wait) } };
  const path = pathOf(request);
  if (path !== streams.status && path !== streams.owner) return { status: 404, error: `There is no WebSocket here: use ${streams.status}.` };
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') return { status: 400, error: 'Only an upgrade to websocket is possible here.' };
  const token = request.headers['sec-websocket-protocol']?.split(',')[0]?.trim();
  if (path === streams.owner && !options.isOwner(token)) return { status: 401, error: 'The owner token is missing or wrong: send it as the WebSocket subprotocol.' };
  if (connections >= mostConnections) return { status: 503, error: `${mostConnections} connections are open, which is the limit: try again later.` };
  if (options.service() === null) return { status: 503, error: 'The node is starting or stopping: try again in a moment.' };
  return null;
}

function reject(socket: Duplex, { status, error, headers }: UpgradeRefusal): void {
  const body = JSON.stringify({ error });
  const lines = [
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
