import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChannel, type Channel } from '../../../engine/adapters/alerts/channel.ts';
import { webhookMessage, type Alert } from '../../../engine/adapters/alerts/forms.ts';

let page: Server;
let url: string;
let answers: number[];
let got: unknown[];
let lost: string[];
let webhook: Channel;

beforeEach(async () => {
  answers = [];
  got = [];
  lost = [];
  page = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      got.push([request.method, request.headers['content-type'], JSON.parse(text)]);
      reply.writeHead(answers.shift() ?? 200, { location: '/elsewhere' }).end();
    });
  }).listen(0, '127.0.0.1');
  await once(page, 'listening');
  url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/alerts`;
  webhook = channelTo([10, 10]);
});
afterEach(async () => {
  await webhook.stop();
  page.closeAllConnections();
  page.close();
});

function channelTo(pauses: readonly number[]): Channel {
  return createChannel({
    form: (one) => webhookMessage(url, one),
    isSet: () => true,
    onLost: (reason) => lost.push(reason),
    pauses,
  });
}

const alert = (sentence: string): Alert => ({ time: 1_800_000_000, severity: 'act', sentence, swap_id: 'swap' });
const posted = (sentence: string): unknown => ['POST', 'application/json', alert(sentence)];

test('each alert is posted once, in its order and again after a failure that may heal', async () => {
  answers = [503, 429, 200, 200];
  webhook.send(alert('first'));
  webhook.send(alert('second'));
  await expect.poll(() => got).toEqual([posted('first'), posted('first'), posted('first'), posted('second')]);
  expect(lost).toEqual([]);
});

test('one that nobody takes is given up with the reason, and the next one is tried', async () => {
  answers = [500, 500, 500, 404, 302, 302, 302, 200];
  for (const sentence of ['first', 'second', 'third', 'fourth']) webhook.send(alert(sentence));
  await expect.poll(() => got.length).toBe(8);
  await expect.poll(() => lost).toEqual(['it answered 500', 'it answered 404', expect.stringMatching(/redirect/)]);
});

test('fault 219: alerts of many swaps push out none that concerns the whole node', async () => {
  const { swap_id: _, ...whole } = alert('the node');
  webhook.send(alert('first'));
  webhook.send(whole);
  for (let i = 0; i < 150; i++) webhook.send(alert(`swap ${i}`));
  await expect.poll(() => got.length).toBe(101);
  expect([got[1], got.at(-1), lost.length]).toEqual([['POST', 'application/json', whole], posted('swap 149'), 51]);
});

test('a stop does not wait for a page that is away', async () => {
  page.close();
  page.closeAllConnections();
  const away = channelTo([60_000]);
  away.send(alert('first'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const began = performance.now();
  await away.stop();
  expect([performance.now() - began < 1_000, lost]).toEqual([true, []]);
});

test('a try says at once what came of it, and is not tried again', async () => {
  answers = [503, 200];
  expect([await webhook.tryOnce(alert('first')), await webhook.tryOnce(alert('second'))]).toEqual([
    'it answered 503',
    null,
  ]);
  expect(got).toEqual([posted('first'), posted('second')]);
});
