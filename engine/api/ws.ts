import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { SwapStatus } from '../domain/status.ts';
import { streams } from '../contract/routes.ts';
import { costs } from '../contract/routes/route.ts';
import type { Admission } from './admission.ts';
import { doorSocketPath, type Door, type DoorSocket } from './door.ts';
import { failed, type Answered, type ApiLog } from './answers.ts';
import { countHalfSent, type HalfSent } from './half-sent.ts';
import { sendAndClose } from './send.ts';
import type { Service } from './service.ts';
import { statusStream } from './status-stream.ts';
import type { Unread } from './unread.ts';

export interface StreamOptions {
  service(): Service | null;
  readonly admission: Pick<Admission, 'gate' | 'isOwner' | 'turnedAwayAs' | 'charge' | 'callerOf' | 'bodyPatience'>;
  readonly log: ApiLog;
  readonly unread: Unread;
  readonly halfSent: HalfSent;
  /** Null while there is none. */
  door(): Door | null;
  /** Milliseconds between signs of life. */
  readonly heartbeat?: number;
}

export interface Streams {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Called when the engine behind the server was exchanged. */
  attach(): void;
  stop(): void;
}

/** A frame with six thousand ids, far more than are taken: one that is larger ends its connection. */
const mostBytes = 256 * 1024;
const mostFragments = 64;
/** A frame of more bytes than these costs as much again for each so many. */
const bytesOfARead = 8 * 1024;
/** A reader so slow that this much waits for it is cut off; it reconnects and asks for a snapshot. */
const mostWaiting = 1024 * 1024;

/** What is done with the frames of a socket, and at its end. */
interface Hearing extends DoorSocket {
  readonly operation: string;
  /** Sent where the node fails on a frame. */
  readonly failure: object;
}

/**
 * The WebSocket endpoints: `/ws` for everybody, `/owner/events` for who has the token, and that of a door that is open.
 */
export function createStreams(options: StreamOptions): Streams {
  // One frame in a turn of the event loop: thousands of small ones may come in one piece (facts/faults.md 43).
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: mostBytes,
    maxFragments: mostFragments,
    allowSynchronousEvents: false,
    handleProtocols: (protocols) => protocols.values().next().value ?? false,
  });
  const alive = new WeakSet<WebSocket>();
  const owners = new Set<WebSocket>();
  const statuses = statusStream(
    (ids) => options.service()?.statuses(ids).statuses ?? [],
    send,
    (socket, ids) => affords(socket, ids * costs.id),
  );
  /** Of an engine that may be exchanged: its clients come again then. */
  const throughDoor = new Set<WebSocket>();
  const requests = new WeakMap<WebSocket, IncomingMessage>();
  let detach: (() => void)[] = [];

  function send(socket: WebSocket, frame: unknown): void {
    sendText(socket, JSON.stringify(frame));
  }

  function sendText(socket: WebSocket, text: string): void {
    if (socket.bufferedAmount > mostWaiting) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.send(text);
    // Of who reads nothing waits.
    if (socket.bufferedAmount > 0) options.unread.bound();
  }

  /**
   * Frames count like requests: what a socket asks for comes out of its client's allowance. Who goes on after that was
   * used up is cut off: the handshake of closing may take half a minute.
   */
  function affords(socket: WebSocket, cost: number): boolean {
    if (socket.readyState !== socket.OPEN) {
      socket.terminate();
      return false;
    }
    const request = requests.get(socket);
    if (request !== undefined && options.admission.charge(request, cost) === 0) return true;
    socket.close(1008, 'too many messages');
    return false;
  }

  const by = { affords, send, log: options.log };

  function attach(): void {
    for (const stop of detach) stop();
    for (const socket of throughDoor) socket.close(1012, 'the node starts again');
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

  function welcome(socket: WebSocket, request: IncomingMessage): void {
    alive.add(socket);
    signsOfLife(socket, alive, () => requests.has(socket) && affords(socket, costs.id));
    socket.on('error', () => socket.terminate());
    if (pathOf(request) === streams.owner) {
      owners.add(socket);
      socket.on('close', () => owners.delete(socket));
      return;
    }
    requests.set(socket, request);
    counted(options, socket, request);
    const door = pathOf(request) === doorSocketPath ? options.door() : null;
    if (door !== null) {
      throughDoor.add(socket);
      socket.on('close', () => throughDoor.delete(socket));
      const end = door.connect({ send: (frame) => send(socket, frame), affords: (units) => affords(socket, units) });
      return hear(socket, by, { ...end, operation: doorSocketPath, failure: { event: 'error', error: failedFrame } });
    }
    hear(socket, by, {
      message: (text) => statuses.message(socket, text),
      left: () => statuses.left(socket),
      operation: streams.status,
      failure: { op: 'error', message: failedFrame },
    });
  }

  const beat = everySoOften(server, alive, options.heartbeat ?? 30_000);

  return {
    attach,
    upgrade(request, socket, head) {
      const refusal = refuseUpgrade(options, request);
      if (refusal !== null) return sendAndClose(socket, refusal);
      server.handleUpgrade(request, socket, head, (connection) => welcome(connection, request));
    },
    stop() {
      clearInterval(beat);
      for (const stop of detach) stop();
      detach = [];
      for (const socket of server.clients) socket.close(1001, 'the node is stopping');
      setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, 1_000).unref();
      server.close();
    },
  };
}

/** What is left unread of it, and what it sends of messages that are not whole, counts with that of all others. */
function counted({ unread, halfSent, admission }: StreamOptions, webSocket: WebSocket, request: IncomingMessage): void {
  const { socket } = request;
  unread.add(socket);
  socket.once('close', () => unread.delete(socket));
  const { client } = admission.callerOf(request);
  countHalfSent(webSocket, socket, admission.bodyPatience(), (bytes) => halfSent.holds(socket, client, bytes));
}

/** Milliseconds: clients send pings of their own to keep a connection open, some of them every few seconds. */
const freePingEvery = 1_000;

/**
 * A ping within a second of the last free one, and any pong but the first after ours, costs its turn of the event loop
 * (facts/faults.md 365).
 */
function signsOfLife(socket: WebSocket, alive: WeakSet<WebSocket>, charge: () => unknown): void {
  let freeFrom = 0;
  socket.on('ping', () => {
    const now = performance.now();
    if (now < freeFrom) charge();
    else freeFrom = now + freePingEvery;
  });
  socket.on('pong', () => {
    if (alive.has(socket)) charge();
    alive.add(socket);
  });
}

/** Hears each frame of a stranger's that its client can afford. */
function hear(
  socket: WebSocket,
  by: {
    readonly log: ApiLog;
    affords(socket: WebSocket, units: number): boolean;
    send(socket: WebSocket, frame: unknown): void;
  },
  { message, left, operation, failure }: Hearing,
): void {
  socket.on('close', left);
  socket.on('message', (data: Buffer, binary) => {
    if (!by.affords(socket, costs.read * (1 + Math.floor(data.length / bytesOfARead)))) return;
    try {
      message(binary ? '' : String(data));
    } catch (cause) {
      by.log.error({ operation, err: cause }, 'a status frame failed');
      by.send(socket, failure);
    }
  });
}

/** Who gave no sign of life since the last time is cut off. */
function everySoOften(server: WebSocketServer, alive: WeakSet<WebSocket>, milliseconds: number): NodeJS.Timeout {
  const beat = setInterval(() => {
    for (const socket of server.clients) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, milliseconds);
  return beat.unref();
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

const failedFrame = 'The node failed on this frame.';

function refuseUpgrade({ admission, service, door }: StreamOptions, request: IncomingMessage): Answered | null {
  const turnedAway = admission.gate().refusal(request);
  if (turnedAway !== null) return failed(turnedAway.status, turnedAway.error);
  const path = pathOf(request);
  const token = request.headers['sec-websocket-protocol']?.split(',')[0]?.trim();
  const owner = path === streams.owner && admission.isOwner(token);
  const tooMuch = admission.turnedAwayAs(request, costs.read, owner);
  if (tooMuch !== null) return tooMuch;
  const isDoor = path === doorSocketPath && door() !== null;
  if (path !== streams.status && path !== streams.owner && !isDoor)
    return failed(404, `There is no WebSocket here: use ${streams.status}.`);
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    return failed(400, 'Only an upgrade to websocket is possible here.');
  if (path === streams.owner && !owner)
    return failed(401, 'The owner token is missing or wrong: send it as the WebSocket subprotocol.');
  if (service() === null) return failed(503, 'The node is starting or stopping: try again in a moment.');
  return null;
}
