import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, test } from 'vitest';
import { WebSocket } from 'ws';
import { createSockets } from '../../engine/api/sockets.ts';
import { ownerStatus } from './memory-service.ts';
import { ownerToken, raw, request, serving, type Serving, upgrade } from './serve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A connection that says this and then nothing more. */
function hold(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text);
      resolve(socket);
    });
    socket
      .resume()
      .on('error', () => undefined)
      .once('error', reject);
    stops.push(() => socket.destroy());
  });
}

async function holdMany(port: number, count: number, text: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  // A hundred at a time: the system lets no more than some hundreds wait to be accepted.
  while (sockets.length < count)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(100, count - sockets.length) }, () => hold(port, text)))),
    );
  await new Promise((resolve) => setTimeout(resolve, 500));
  return sockets;
}

const open = (sockets: readonly Socket[]): number =>
  sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length;

function ownerEvents({ server }: Serving): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/owner/events`, [ownerToken]);
  stops.push(() => socket.terminate());
  return new Promise((resolve, reject) => socket.once('open', () => resolve(socket)).once('error', reject));
}

const attacks: [string, (port: number) => string][] = [
  ['that say nothing', () => ''],
  ['that never finish their headers', (port) => `GET /health HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-slow: `],
  [
    'that never finish their body',
    (port) =>
      `POST /swap/recover HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: ` +
      'application/json\r\ncontent-length: 50\r\n\r\n{',
  ],
  ['that are WebSockets', upgrade],
];

it.each(attacks)(
  'fault 52: one client with all the connections it can get, %s, leaves others and the owner theirs',
  async (_, text) => {
    const served = await serving();
    const { port } = served.server;
    const attack = await holdMany(port, 1_300, text(port));
    await expect.poll(() => open(attack), { timeout: 60_000 }).toBeLessThanOrEqual(640 + 64);
    const begun = performance.now();
    const status = await raw(
      port,
      request('GET /owner/status', { host: `127.0.0.1:${port}`, authorization: `Bearer ${ownerToken}` }),
    );
    const events = await ownerEvents(served);
    const message = new Promise((resolve) => events.once('message', (data) => resolve(JSON.parse(String(data)))));
    served.service.tell({ type: 'status', status: ownerStatus });
    expect([status.status, await message]).toEqual([200, { type: 'status', status: ownerStatus }]);
    expect(performance.now() - begun).toBeLessThan(15_000);
    // The client itself is told, on a connection that is closed.
    const own = await raw(port, request('GET /health', { host: `127.0.0.1:${port}`, connection: 'keep-alive' }));
    expect([own.status, own.headers['connection'], JSON.parse(own.body)]).toEqual([
      429,
      'close',
      { error: 'Too many connections from this address are open: close some, or use those that are open.' },
    ]);
    for (const socket of attack.slice(0, 700)) socket.destroy();
    await expect
      .poll(async () => (await raw(port, request('GET /health', { host: `127.0.0.1:${port}` }))).status, {
        timeout: 60_000,
      })
      .toBe(200);
  },
);

it("fault 52: what a client spends at once does not keep the owner's events out", async () => {
  const served = await serving({ flood: { burst: 1, perSecond: 0.001 } });
  const { port } = served.server;
  const statuses = [];
  for (let i = 0; i < 6; i++)
    statuses.push((await raw(port, request('GET /health', { host: `127.0.0.1:${port}` }))).status);
  expect(statuses.at(-1)).toBe(429);
  expect((await ownerEvents(served)).readyState).toBe(WebSocket.OPEN);
});

it('behind a proxy connections count for the client that each one serves, and only as long as it does', async () => {
  const { server } = await serving({
    trustLoopbackProxy: true,
    flood: { burst: 300, perSecond: 50, socketsPerClient: 5 },
  });
  const slow = (client: string) =>
    `POST /swap/recover HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nx-forwarded-for: ${client}\r\ncontent-type: ` +
    'application/json\r\ncontent-length: 50\r\n\r\n{';
  await holdMany(server.port, 5, slow('203.0.113.1'));
  const ask = async (client: string) =>
    (await raw(server.port, request('GET /health', { host: `127.0.0.1:${server.port}`, 'x-forwarded-for': client })))
      .status;
  expect([await ask('203.0.113.1'), await ask('203.0.113.2')]).toEqual([429, 200]);
  const sockets = await holdMany(
    server.port,
    20,
    request('GET /health', {
      host: `127.0.0.1:${server.port}`,
      'x-forwarded-for': '203.0.113.3',
      connection: 'keep-alive',
    }),
  );
  expect([open(sockets), await ask('203.0.113.3')]).toEqual([20, 200]);
});

it('fault 52: a connection that was refused is gone, though the other end keeps its half of it', async () => {
  const { server } = await serving();
  const half = (text: string): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(text));
      socket.resume().once('end', () => resolve(socket));
      stops.push(() => socket.destroy());
    });
  const refused = await Promise.all([
    half('nonsense\r\n\r\n'),
    half(upgrade(server.port).replace('GET /ws', 'GET /owner/events')),
  ]);
  // Writing to a connection that is gone at the other end fails; to one that waits for our half it does not.
  for (const socket of refused) {
    const failed = new Promise((resolve) => socket.once('error', resolve));
    const writing = setInterval(() => void socket.write('x'), 20);
    await failed;
    clearInterval(writing);
  }
});

function made(): Socket & { destroyed: boolean } {
  const listeners: (() => void)[] = [];
  const socket = {
    destroyed: false,
    once: (_: string, listener: () => void) => listeners.push(listener),
    destroy: () => ((socket.destroyed = true), listeners.splice(0).forEach((listener) => listener())),
  };
  return socket as unknown as Socket & { destroyed: boolean };
}

it('fault 52: beyond the limit those leave first that have shown to be strangers', () => {
  const sockets = createSockets(() => 1);
  const stranger = '10.0.0.1';
  sockets.came(made(), stranger);
  // The oldest of those that wait, and silent so far.
  const owners = made();
  sockets.came(owners, stranger);
  const connections = Array.from({ length: 63 }, () => made());
  for (const socket of connections) {
    sockets.came(socket, stranger);
    expect(sockets.serves(socket, stranger)).toBe('client');
  }
  const later = Array.from({ length: 63 }, () => made());
  for (const socket of later) sockets.came(socket, stranger);
  expect([owners.destroyed, connections.every(({ destroyed }) => destroyed)]).toEqual([false, true]);
  expect(sockets.serves(owners, null)).toBeNull();
  for (const socket of later) socket.destroy();
});

it('fault 51: a program of this machine has one allowance, from whichever of its addresses it sends', async () => {
  const { server } = await serving({ flood: { burst: 30, perSecond: 5 } });
  const from = (localAddress: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve, reject) => {
      const { port } = server;
      get({ port, host: '127.0.0.1', path: '/swap-pairs', localAddress, agent: false, headers }, (reply) =>
        reply.resume().once('end', () => resolve(reply.statusCode ?? 0)),
      ).once('error', reject);
    });
  const statuses: number[] = [];
  for (let address = 0; address < 300; address++) {
    const many = Array.from({ length: 2 }, () => from(`127.${address % 7}.${address % 250}.1`));
    statuses.push(...(await Promise.all(many)));
  }
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(300);
  expect(await from('127.0.0.1', { authorization: `Bearer ${ownerToken}` })).toBe(200);
});

it('all connections together have a limit, beyond which only the owner is served', () => {
  const sockets = createSockets(() => 640);
  const many = Array.from({ length: 1_200 }, (_, n) => ({ socket: made(), peer: `10.0.0.${n % 4}` }));
  for (const { socket, peer } of many) sockets.came(socket, peer);
  const alive = many.filter(({ socket }) => !socket.destroyed);
  expect(alive).toHaveLength(1_024 + 64);
  const last = alive.at(-1)!;
  expect([
    sockets.serves(last.socket, last.peer),
    sockets.serves(last.socket, null),
    sockets.serves(many[0]!.socket, '10.0.0.0'),
  ]).toEqual(['all', null, null]);
  many[1]!.socket.destroy();
  const next = made();
  sockets.came(next, '10.0.0.9');
  expect(sockets.serves(next, '10.0.0.9')).toBeNull();
  for (const { socket } of many) socket.destroy();
  next.destroy();
});

test('fault 331, api: two clients never hold all connections while others want one', () => {
  const sockets = createSockets(() => 640);
  const many = Array.from({ length: 1_100 }, (_, n) => ({ socket: made(), peer: n < 640 ? '10.0.0.1' : '10.0.0.2' }));
  for (const { socket, peer } of many) sockets.came(socket, peer);
  const others = Array.from({ length: 100 }, (_, n) => ({ socket: made(), peer: `10.0.1.${n % 50}` }));
  for (const { socket, peer } of others) {
    sockets.came(socket, peer);
    expect(sockets.serves(socket, peer)).toBeNull();
  }
  expect(others.some(({ socket }) => socket.destroyed)).toBe(false);
  expect(many.filter(({ socket }) => !socket.destroyed).length).toBeLessThanOrEqual(1_024 - 100 + 64);
  for (const { socket } of [...many, ...others]) socket.destroy();
});

test('fault 331, api: the networks of one IPv6 site hold as many connections as one client', () => {
  const sockets = createSockets(() => 5);
  const many = Array.from({ length: 20 }, (_, n) => ({ socket: made(), peer: `2001:db8:1:${n}::/64` }));
  const answers = many.map(({ socket, peer }) => (sockets.came(socket, peer), sockets.serves(socket, peer)));
  expect(answers.filter((one) => one === null)).toHaveLength(5);
  const other = made();
  sockets.came(other, '2001:db8:2:1::/64');
  expect(sockets.serves(other, '2001:db8:2:1::/64')).toBeNull();
  for (const { socket } of many) socket.destroy();
  other.destroy();
});
