import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createHalfSent } from '../../engine/api/half-sent.ts';
import { createHttpServer } from '../../engine/api/http-server.ts';
import { raw, request, servingPort, upgrade } from './serve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const megabyte = 1_000_000;

/** A connection that writes this. */
async function sends(port: number, bytes: string | Buffer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  stops.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(bytes);
  socket.resume();
  return socket;
}

const open = (sockets: readonly Socket[]): number => sockets.filter(({ destroyed }) => !destroyed).length;

/** A frame of a client; `fin` where the message ends with it. */
function frame(op: number, payload: Buffer, fin: boolean): Buffer {
  const { length } = payload;
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | op, ...size]), Buffer.alloc(4), payload]);
}

const text = 1;
const more = 0;
const pong = 10;
const unfinished = Buffer.concat([
  frame(text, Buffer.alloc(4_000, 'a'), false),
  ...Array.from({ length: 59 }, () => frame(more, Buffer.alloc(4_000, 'a'), false)),
]);

/** A request of which one byte never comes. */
const unfinishedBody = (port: number, bytes: number): string =>
  `POST /api/delegate/settle HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
  `content-length: ${bytes + 1}\r\n\r\n${'a'.repeat(bytes)}`;

test('fault 243: what WebSockets send of messages that never end is bounded, and others are heard', async () => {
  const port = await servingPort();
  const sockets: Socket[] = [];
  for (let i = 0; i < 170; i++)
    sockets.push(await sends(port, Buffer.concat([Buffer.from(upgrade(port)), unfinished])));
  // 170 times 240 kB; those that are whole count for nothing.
  await expect.poll(() => open(sockets), { timeout: 10_000 }).toBeLessThan(140);
  expect(open(sockets)).toBeGreaterThan(100);
  const { status } = await raw(port, request('GET /health', { host: `127.0.0.1:${port}` }));
  expect(status).toBe(200);
});

test('fault 243: pongs keep no message alive longer than a body', async () => {
  const port = await servingPort({ bodyPatience: 400 });
  const begun = performance.now();
  const [slow, idle] = [
    await sends(port, Buffer.concat([Buffer.from(upgrade(port)), frame(text, Buffer.from('{'), false)])),
    await sends(port, upgrade(port)),
  ];
  const pongs = setInterval(() => {
    for (const socket of [slow, idle]) socket.write(frame(pong, Buffer.alloc(0), true));
  }, 50);
  stops.push(() => clearInterval(pongs));
  await expect.poll(() => slow.destroyed, { timeout: 5_000 }).toBe(true);
  expect(performance.now() - begun).toBeLessThan(2_000);
  clearInterval(pongs);
  // Whoever ends its messages stays, though each write ends in the middle of one.
  const whole = frame(text, Buffer.from('{}'), true);
  for (let i = 0; i < 4; i++) {
    idle.write(Buffer.concat([i === 0 ? whole : whole.subarray(3), whole, whole.subarray(0, 3)]));
    await pause(200);
  }
  idle.write(whole.subarray(3));
  await pause(600);
  expect(idle.destroyed).toBe(false);
});

test('fault 243: what is held of bodies that never end is bounded', async () => {
  const port = await servingPort({ flood: null });
  const sockets: Socket[] = [];
  for (let i = 0; i < 40; i++) sockets.push(await sends(port, unfinishedBody(port, megabyte)));
  await expect.poll(() => open(sockets), { timeout: 10_000 }).toBeLessThan(33);
  expect(open(sockets)).toBeGreaterThan(25);
  const { status } = await raw(port, request('GET /health', { host: `127.0.0.1:${port}` }));
  expect(status).toBe(200);
});

test('fault 243: also what they take that come byte by byte, though they are small', async () => {
  const port = await servingPort();
  const head = `POST /swap/bulk-status HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n`;
  const sockets: Socket[] = [];
  for (let i = 0; i < 4; i++)
    sockets.push(await sends(port, `${head}transfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(60_000)}`));
  await expect.poll(() => open(sockets), { timeout: 10_000 }).toBeLessThan(3);
  expect(open(sockets)).toBeGreaterThan(0);
});

test('fault 243: of the bodies that wait behind another request one is taken', async () => {
  const server = createHttpServer(() => undefined, 60_000).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  const { port } = server.address() as AddressInfo;
  const post = `POST /swap HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 60000\r\n\r\n${'a'.repeat(60_000)}`;
  const get = 'GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
  const sockets = [await sends(port, get + post + get), await sends(port, post + get + post), await sends(port, get)];
  for (const socket of sockets.slice(2)) socket.write(post + get + post);
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
});

function made(): Socket {
  const socket = { destroyed: false, destroy: () => (socket.destroyed = true) };
  return socket as unknown as Socket;
}

test('fault 243: the client that sent most loses its largest, however large what another sends', () => {
  const parts = createHalfSent();
  const [attackers, owners, honest] = [Array.from({ length: 1_000 }, made), made(), made()];
  parts.holds(owners, null, 40 * megabyte);
  for (const socket of attackers) parts.holds(socket, '203.0.113.1', 31_000);
  parts.holds(attackers[7]!, '203.0.113.1', 31_001);
  parts.holds(honest, '203.0.113.2', megabyte - 1);
  expect([owners, honest, ...attackers].filter(({ destroyed }) => destroyed)).toEqual([]);
  parts.holds(honest, '203.0.113.2', megabyte);
  expect([owners, honest, ...attackers].filter(({ destroyed }) => destroyed)).toEqual([attackers[7]]);
  // What was parsed counts no more.
  for (const socket of attackers) parts.holds(socket, '203.0.113.1', 0);
  parts.holds(honest, '203.0.113.2', 31 * megabyte);
  expect(honest.destroyed).toBe(false);
});

test('fault 325: the networks of one IPv6 site lose their largest together', () => {
  const parts = createHalfSent();
  const [attackers, honest] = [Array.from({ length: 1_000 }, made), made()];
  for (const [at, socket] of attackers.entries()) parts.holds(socket, `2001:db8:1:${at}::/64`, 31_500);
  parts.holds(honest, '2001:db8:2:1::/64', megabyte);
  expect([honest.destroyed, attackers.filter(({ destroyed }) => destroyed).length]).toEqual([false, 1]);
});
