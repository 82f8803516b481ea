import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { bodies } from '../contract/bodies.ts';
import { ownerStatus } from './memory-service.ts';
import { ownerToken, raw, request, serve, type Serving } from './serve.ts';

let serving: Serving;
let port: number;
let swap: string;

beforeAll(async () => {
  serving = await serve();
  port = serving.server.port;
  const reply = await fetch(`${serving.server.url}/swap/lightning/arkade`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bodies.createLightningArkade),
  });
  swap = ((await reply.json()) as { id: string }).id;
});
afterAll(() => serving.server.stop());

interface Peer {
  say(frame: unknown): void;
  hear(): Promise<unknown>;
  close(): void;
}

function open(path: string, protocol?: string): Promise<Peer> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocol === undefined ? [] : [protocol]);
  const messages: unknown[] = [];
  const waiting: ((frame: unknown) => void)[] = [];
  socket.on('message', (data) => {
    const frame: unknown = JSON.parse(String(data));
    const next = waiting.shift();
    if (next === undefined) messages.push(frame);
    else next(frame);
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () =>
      resolve({
        say: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
        hear: () =>
          messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise((next) => waiting.push(next)),
        close: () => socket.close(),
      }),
    );
  });
}

const channel = 'swap_status';

describe('/ws', () => {
  it('acknowledges, sends a snapshot of what it knows, then every change until unsubscribed', async () => {
    const peer = await open('/ws');
    peer.say({ op: 'subscribe', channel, args: [swap, 'unknown'] });
    expect([await peer.hear(), await peer.hear()]).toEqual([
      { op: 'subscribed', channel, args: [swap, 'unknown'] },
      { channel, data: { [swap]: 'pending' } },
    ]);
    serving.service.move(swap, 'clientfunded');
    serving.service.move(swap, 'serverfunded');
    expect([await peer.hear(), await peer.hear()]).toEqual([
      { channel, data: { [swap]: 'clientfunded' } },
      { channel, data: { [swap]: 'serverfunded' } },
    ]);
    peer.say({ op: 'unsubscribe', channel, args: [swap] });
    expect(await peer.hear()).toEqual({ op: 'unsubscribed', channel, args: [swap] });
    serving.service.move(swap, 'clientredeemed');
    peer.say({ op: 'subscribe', channel, args: [] });
    expect(await peer.hear()).toEqual({ op: 'subscribed', channel, args: [] });
    peer.close();
  });

  it('says what is wrong with a frame and stays open', async () => {
    const peer = await open('/ws');
    const frames: [unknown, unknown][] = [
      [
        '{',
        { op: 'error', message: 'The frame is not JSON: send {"op":"subscribe","channel":"swap_status","args":[id]}.' },
      ],
      ['null', { op: 'error', message: 'op must be subscribe or unsubscribe.' }],
      [
        { op: 'subscribe', channel: 'other', args: [] },
        { op: 'subscribe', message: 'channel must be swap_status.' },
      ],
      [
        { op: 'subscribe', channel, args: [7] },
        { op: 'subscribe', message: 'args must be a list of swap ids.' },
      ],
    ];
    for (const [frame, answer] of frames) {
      peer.say(frame);
      expect(await peer.hear()).toEqual(answer);
    }
    peer.close();
  });

  it('takes as many ids in one frame as subscriptions, drops the rest and says so', async () => {
    const peer = await open('/ws');
    const ids = (count: number) =>
      Array.from({ length: count }, (_, at) => `00000000-0000-4000-8000-1${String(at).padStart(11, '0')}`);
    peer.say({ op: 'subscribe', channel, args: [swap, ...ids(1_500), swap] });
    expect([await peer.hear(), await peer.hear(), await peer.hear()]).toEqual([
      { op: 'subscribed', channel, args: [swap, ...ids(255)] },
      { channel, data: { [swap]: expect.any(String) } },
      {
        op: 'error',
        message: '1245 swaps were not subscribed: a connection takes 256. Unsubscribe some, or use another connection.',
      },
    ]);
    serving.service.move(swap, 'serverredeemed');
    expect(await peer.hear()).toEqual({ channel, data: { [swap]: 'serverredeemed' } });
    peer.say({ op: 'unsubscribe', channel, args: ids(1) });
    peer.say({ op: 'subscribe', channel, args: ['one more', 'and another'] });
    expect([await peer.hear(), await peer.hear(), await peer.hear(), await peer.hear()]).toEqual([
      { op: 'unsubscribed', channel, args: ids(1) },
      { op: 'subscribed', channel, args: ['one more'] },
      { channel, data: {} },
      {
        op: 'error',
        message: '1 swap was not subscribed: a connection takes 256. Unsubscribe some, or use another connection.',
      },
    ]);
    // Sent again as after every reconnection, nothing is dropped that is subscribed already.
    peer.say({ op: 'subscribe', channel, args: ['one more', swap] });
    expect(await peer.hear()).toEqual({ op: 'subscribed', channel, args: ['one more', swap] });
    peer.close();
  });
});

describe('/owner/events', () => {
  it('tells the owner, who shows the token as the subprotocol', async () => {
    const peer = await open('/owner/events', ownerToken);
    serving.service.tell({ type: 'status', status: ownerStatus });
    expect(await peer.hear()).toEqual({ type: 'status', status: ownerStatus });
    peer.close();
  });
});

describe('an upgrade', () => {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };

  it('is refused to strangers, at other paths, and to who has no token, in the shape of every error', async () => {
    const host = { host: `127.0.0.1:${port}` };
    const refused: [string, Record<string, string>][] = [
      ['GET /ws', { host: `evil.example:${port}` }],
      ['GET /ws', { ...host, origin: 'https://evil.example' }],
      ['GET /health', host],
      ['GET /owner/events', host],
      ['GET /owner/events', { ...host, 'sec-websocket-protocol': 'e'.repeat(64) }],
    ];
    const replies = await Promise.all(
      refused.map(([line, headers]) => raw(port, request(line, { ...upgrade, ...headers }))),
    );
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 404, 401, 401]);
    for (const { body } of replies) expect(Object.keys(JSON.parse(body) as object)).toEqual(['error']);
    expect((await raw(port, request('GET /ws', host))).status).toBe(426);
  });
});

describe('stopping', () => {
  it('ends every stream and frees the port', async () => {
    const other = await serve();
    const socket = new WebSocket(`ws://127.0.0.1:${other.server.port}/ws`);
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.on('open', resolve));
    await other.server.stop();
    expect(await closed).toBe(1001);
    const again = await serve({ port: other.server.port });
    await expect(serve({ port: other.server.port })).rejects.toThrow(
      `Port ${other.server.port} is taken by another program: stop it, or choose another port.`,
    );
    await again.server.stop();
  });
});
