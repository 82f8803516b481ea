import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { doorSocketPath, type Door } from '../../engine/api/door.ts';
import { ownerToken, serve } from './serve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const large = 'ab'.repeat(2_000_000);

/** A door that answers each frame with one of megabytes, how many it answered, and how many are gone. */
async function serving() {
  const own = { answers: 0, gone: 0 };
  const door: Door = {
    cost: () => 1,
    answer: async () => ({ status: 404, body: {} }),
    connect: (peer) => ({
      message() {
        own.answers += 1;
        peer.send(large);
      },
      left: () => void (own.gone += 1),
    }),
  };
  const { server } = await serve({ door: () => door });
  stops.push(() => server.stop());
  return { own, url: server.url.replace('http', 'ws') };
}

async function open(url: string, protocol?: string): Promise<WebSocket> {
  const socket = new WebSocket(url, protocol === undefined ? [] : [protocol]);
  socket.on('error', () => undefined);
  stops.push(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

test('fault 186: what WebSockets leave unread is bounded, and whoever reads is told all the while', async () => {
  const { own, url } = await serving();
  const owner = await open(`${url}/owner/events`, ownerToken);
  for (let i = 0; i < 40; i++) {
    const slow = await open(`${url}${doorSocketPath}`);
    slow.pause();
    slow.send('more');
  }
  await expect.poll(() => own.answers, { timeout: 20_000 }).toBe(40);
  await expect.poll(() => own.gone, { timeout: 5_000 }).toBeGreaterThan(5);
  expect(own.gone).toBeLessThan(40);
  const reader = await open(`${url}${doorSocketPath}`);
  reader.send('more');
  const [frame] = (await once(reader, 'message')) as [Buffer];
  expect(frame.length).toBe(large.length + 2);
  expect([reader.readyState, owner.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
});
