import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHttpServer } from '../../engine/api/http-server.ts';
import { raw, request } from './serve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const megabyte = 1_000_000;
const patience = 60_000;
const get = (of: string): string => `GET /${of} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;

/** A server whose answers are of megabytes, but for a small one; what its strangers leave unread, and what it made. */
async function serving() {
  const sockets: Socket[] = [];
  const made: string[] = [];
  const server = createHttpServer(
    ({ url = '' }, response) => {
      made.push(url);
      response.end(url === '/small' ? 'small' : 'ab'.repeat(2 * megabyte));
    },
    patience,
    ({ url }) => url === '/owner',
  );
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  const { port } = server.address() as AddressInfo;
  return { port, made, sockets, unread: () => sockets.reduce((sum, { writableLength }) => sum + writableLength, 0) };
}

/** Asks and reads nothing. */
async function leavesUnread(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  socket.pause();
  socket.on('error', () => undefined);
  stops.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test('fault 177: what a connection asks for next is made once it has read what it asked for before', async () => {
  const { port, made } = await serving();
  const socket = await leavesUnread(port, get('large').repeat(8));
  await expect.poll(() => made.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(made.length).toBe(1);
  socket.resume();
  await expect.poll(() => made.length).toBe(8);
});

test('fault 177: what strangers leave unread is bounded, and whoever reads is answered all the while', async () => {
  const { port, made, sockets, unread } = await serving();
  await leavesUnread(port, get('owner'));
  await expect.poll(() => made).toEqual(['/owner']);
  for (let i = 0; i < 40; i++) await leavesUnread(port, get('large'));
  await expect.poll(() => made.length, { timeout: 10_000 }).toBe(41);
  await expect.poll(() => unread()).toBeLessThan(36 * megabyte);
  expect(unread()).toBeGreaterThan(20 * megabyte);
  // The owner's came first, leaves as much unread as any other, and stays.
  expect(sockets[0]?.destroyed).toBe(false);
  const { body } = await raw(port, request('GET /small', { host: '127.0.0.1' }));
  expect(body).toContain('small');
});
