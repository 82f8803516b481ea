import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createHttpServer } from '../../engine/api/http-server.ts';
import { longestTurn } from '../support/turns.ts';
import { raw, request, servingPort } from './serve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A connection whose peer writes this and, when `deaf`, reads nothing that comes back. */
function peer(port: number, bytes: string | Buffer, paused = false): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => resolve(socket)));
    socket.on('error', () => undefined);
    stops.push(() => socket.destroy());
    if (paused) socket.pause();
    else socket.resume();
  });
}

/** How long until the other end is gone, which a peer that does not read only learns from writing. */
async function cutOff(socket: Socket, within: number): Promise<boolean> {
  const began = performance.now();
  while (!socket.destroyed && performance.now() - began < within) {
    socket.write('\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return socket.destroyed;
}

const get = (port: number, path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;

it('answers what a client sends ahead, one after the other', async () => {
  const port = await servingPort();
  const { body } = await raw(
    port,
    get(port, '/health').repeat(4) + request('GET /health', { host: `127.0.0.1:${port}` }),
  );
  expect(body).toContain('"ok"');
});

it('fault 43: thousands of requests in one piece, on many connections, hold nobody up for long', async () => {
  const port = await servingPort();
  const longest = await longestTurn(async () => {
    const peers = await Promise.all(Array.from({ length: 8 }, () => peer(port, get(port, '/nothing').repeat(1_400))));
    expect(await Promise.all(peers.map((socket) => cutOff(socket, 5_000)))).toEqual(peers.map(() => true));
  });
  expect(longest).toBeLessThan(200);
});

it('fault 43: an answer that nobody reads is not kept for ever, and one that takes its time is given', async () => {
  const server = createHttpServer(
    ({ url }, response) =>
      void setTimeout(
        () => response.end(url === '/large' ? Buffer.alloc(30_000_000) : 'at last'),
        url === '/large' ? 0 : 1_500,
      ),
    500,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  const { port } = server.address() as AddressInfo;
  await peer(port, get(port, '/large'), true);
  const slow = raw(port, request('GET /slow', { host: `127.0.0.1:${port}` }));
  await closed;
  expect((await slow).body).toContain('at last');
});

function frame(op: number, payload: Buffer): Buffer {
  const { length } = payload;
  const size =
    length < 126
      ? [0x80 | length]
      : length < 65_536
        ? [0x80 | 126, length >> 8, length & 0xff]
        : [0x80 | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | op, ...size]), Buffer.alloc(4), payload]);
}

async function webSocket(port: number, paused = false): Promise<Socket> {
  const upgrade = request('GET /ws', {
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  });
  const socket = await peer(port, upgrade, paused);
  await new Promise((resolve) => setTimeout(resolve, 100));
  return socket;
}

it('fault 43: thousands of frames in one piece hold nobody up, and their sender is cut off', async () => {
  const port = await servingPort();
  const flood = Buffer.concat(Array.from({ length: 10_000 }, () => frame(1, Buffer.alloc(0))));
  const sockets = await Promise.all(Array.from({ length: 8 }, () => webSocket(port)));
  const longest = await longestTurn(async () => {
    for (const socket of sockets) socket.write(flood);
    await expect.poll(() => sockets.every((socket) => socket.destroyed), { timeout: 60_000 }).toBe(true);
  });
  expect(longest).toBeLessThan(100);
});

it.each([
  ['pings', 9],
  ['pongs', 10],
])('fault 365: thousands of %s in one piece end their connection', async (_, op) => {
  const port = await servingPort({ flood: { burst: 30, perSecond: 1 } });
  const socket = await webSocket(port);
  let received = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => (received = Buffer.concat([received, piece])));
  socket.write(Buffer.concat(Array.from({ length: 5_000 }, () => frame(op, Buffer.alloc(0)))));
  await expect.poll(() => socket.destroyed || socket.readableEnded, { timeout: 20_000 }).toBe(true);
  // A close frame with the code 1008 in front of its words.
  expect(received.indexOf(Buffer.from([0x88, 19, 1008 >> 8, 1008 & 0xff]))).toBeGreaterThanOrEqual(0);
});

it('fault 365: who answers each sign of life pays nothing for it', async () => {
  const port = await servingPort({ heartbeat: 400, flood: { burst: 0.5, perSecond: 0.001 } });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  stops.push(() => socket.terminate());
  let beats = 0;
  socket.on('ping', () => beats++);
  await expect.poll(() => beats, { timeout: 20_000 }).toBeGreaterThan(8);
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

it('fault 365: a ping that keeps a connection open is free, whatever others used up', async () => {
  const port = await servingPort({ flood: { burst: 0.01, perSecond: 0.000_1 } });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  stops.push(() => socket.terminate());
  let answered = 0;
  socket.on('pong', () => answered++);
  socket.on('open', () => socket.ping());
  await expect.poll(() => answered, { timeout: 20_000 }).toBe(1);
  await pause(1_100);
  socket.ping();
  await expect.poll(() => answered, { timeout: 20_000 }).toBe(2);
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

it('fault 51: a frame costs by its size', async () => {
  const port = await servingPort({ flood: { burst: 10, perSecond: 0.001 } });
  const socket = await webSocket(port);
  const large = frame(
    1,
    Buffer.from(
      JSON.stringify({
        op: 'unsubscribe',
        channel: 'swap_status',
        args: Array.from({ length: 2_000 }, () => 'x'.repeat(100)),
      }),
    ),
  );
  socket.write(Buffer.concat([large, large, large]));
  await expect.poll(() => socket.destroyed || socket.readableEnded, { timeout: 60_000 }).toBe(true);
});
