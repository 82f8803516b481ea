import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDeadMan } from '../../engine/adapters/alerts/dead-man.ts';
import { leaveThrough } from '../../engine/adapters/socks/outgoing.ts';
import { readConfig } from '../../engine/config.ts';
import { postAlerts, type AlertWays } from '../../engine/connections/alerts.ts';
import type { OwnerEvent } from '../../engine/contract/owner/events.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { startSocksServer, type SocksServer } from '../support/socks-server.ts';

const botToken = '123456:AAbbCCddEEffGGhhIIjjKKll';

let folder: string;
let service: Server;
let port: number;
let got: string[];
let status: number;
let logged: string[];
let isWell: boolean;
let tell: (event: OwnerEvent) => void;
let ways: AlertWays | null;
let proxy: SocksServer | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-alerts-'));
  [got, status, logged, isWell, ways, proxy] = [[], 200, [], true, null, null];
  service = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { method, url, headers } = request;
      got.push(
        [method, url, headers.authorization, text].filter((part) => part !== undefined && part !== '').join(' '),
      );
      reply.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  ({ port } = service.address() as AddressInfo);
});
afterEach(async () => {
  await ways?.stop();
  await leaveThrough(null);
  await proxy?.stop();
  service.closeAllConnections();
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

function secret(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
  return path;
}

function open(alerts: Record<string, unknown>): AlertWays {
  const config = readConfig({ flags: {}, environment: {}, file: null, stored: { alerts } });
  if (isRefusal(config)) throw new Error(config.sentence);
  ways = postAlerts({
    onEvent(listener) {
      tell = listener;
      return () => undefined;
    },
    settings: () => config.alerts,
    isWell: () => isWell,
    wall: () => 1_800_000_000,
    log: {
      info: () => undefined,
      warn: (facts, text) => void logged.push(`${text} ${JSON.stringify(facts)}`),
      error: () => undefined,
    },
  });
  return ways;
}

function all(origin: string): Record<string, unknown> {
  return {
    webhookUrl: `${origin}/hook`,
    ntfy: { url: `${origin}/topic`, tokenFile: secret('ntfy', 'tk_secret') },
    telegram: { chat: '7', tokenFile: secret('telegram', botToken), url: origin },
    deadMan: { urlFile: secret('dead-man', `${origin}/ping/secret`) },
  };
}

const telegramText = (text: string) => `POST /bot${botToken}/sendMessage {"chat_id":"7","text":"${text}"}`;

test('an alert goes to each way that is set, and nothing else of the node does', async () => {
  open(all(`http://127.0.0.1:${port}`));
  tell({ type: 'balance', network: 'arkade' });
  tell({ type: 'alert', time: 5, severity: 'act', sentence: 'Look.' });
  await expect.poll(() => got.length).toBe(3);
  expect(got.toSorted()).toEqual([
    telegramText('Look.'),
    'POST /hook {"time":5,"severity":"act","sentence":"Look."}',
    'POST /topic Bearer tk_secret Look.',
  ]);
});

test('the test tells of each way whether it arrived, and asks for the dead-man address', async () => {
  const { test: tryAll } = open(all(`http://127.0.0.1:${port}`));
  const channels = ['webhook', 'ntfy', 'telegram', 'dead_man'];
  expect(await tryAll()).toEqual({ results: channels.map((channel) => ({ channel, arrived: true })) });
  expect(got).toContain('GET /ping/secret');
  status = 403;
  expect(await tryAll()).toEqual({
    results: channels.map((channel) => ({ channel, arrived: false, reason: 'it answered 403' })),
  });
});

test('no token and no secret address is told, whatever goes wrong', async () => {
  const alerts = all('http://127.0.0.1:1');
  const { test: tryAll } = open(alerts);
  const words = JSON.stringify(await tryAll());
  expect([/fetch failed/.test(words), /secret|AAbb/.test(words)]).toEqual([true, false]);
  chmodSync(join(folder, 'telegram'), 0o644);
  expect((await tryAll()).results.find(({ channel }) => channel === 'telegram')?.reason).toMatch(
    /may be read by others \(mode 0644\)/,
  );
});

test('with nothing set nobody is asked', async () => {
  const { test: tryAll } = open({});
  tell({ type: 'alert', time: 5, severity: 'act', sentence: 'Look.' });
  expect([await tryAll(), got]).toEqual([{ results: [] }, []]);
});

test('the dead-man address is asked for while the node is well, and a silence of it is in the log alone', async () => {
  const lost: string[] = [];
  const deadMan = createDeadMan({
    url: () => `http://127.0.0.1:${port}/ping`,
    everyMs: () => 20,
    isWell: () => isWell,
    onLost: (reason) => void lost.push(reason),
  });
  await expect.poll(() => got.length).toBeGreaterThan(1);
  isWell = false;
  await new Promise((resolve) => setTimeout(resolve, 60));
  const before = got.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([got.length, lost]).toEqual([before, []]);
  isWell = true;
  status = 500;
  await expect.poll(() => lost).toContain('it answered 500');
  await deadMan.stop();
});

test('with a proxy everything leaves through it, by name', async () => {
  proxy = await startSocksServer({ 'alerts.test:80': port });
  await leaveThrough(proxy.url);
  const { test: tryAll } = open(all('http://alerts.test'));
  expect((await tryAll()).results.map(({ arrived }) => arrived)).toEqual([true, true, true, true]);
  expect(new Set(proxy.destinations)).toEqual(new Set(['alerts.test:80']));
});
