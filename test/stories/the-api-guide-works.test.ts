import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { configSchema } from '../../engine/config/schema.ts';
import { routeNames, routes } from '../../engine/contract/routes.ts';
import { swapStatuses } from '../../engine/domain/status.ts';
import type { Json } from './client/http.ts';
import { readCurl } from './guide/curl.ts';
import { differences } from './guide/differences.ts';
import { chaptersOf, type Chapter, type Frame, type Shown, type Step } from './guide/steps.ts';
import { libraryOf, run, type Names } from './guide/program.ts';
import { offered, startWireNode, type WireNode } from './wire-node.ts';

const folder = 'resources/docs/wallets';
/** Read one after the other: what the first names the others use. */
const documents = ['guide.md', 'errors.md', 'verify.md', 'libraries.md'].map((name) => ({
  name,
  text: readFileSync(new URL(`../../${folder}/${name}`, import.meta.url), 'utf8'),
}));
const guide = documents.map(({ text }) => text).join('');
const patienceMs = 120_000;
const chapters = chaptersOf(guide);
/** Declared once, used by the stories of every direction. */
const library = 'Code of a wallet';

describe('what the guide shows', () => {
  let node: WireNode;
  let declared: Names;
  const names: Names = {};
  let socket: WebSocket | null = null;
  const received: string[] = [];

  beforeAll(async () => {
    node = await startWireNode();
    declared = await libraryOf(chapters.find(({ title }) => title === library) as Chapter);
    names['BASE'] = node.url;
    names['TOKEN'] = node.token;
  });

  afterAll(async () => {
    socket?.close();
    await node.stop();
  });

  function valueOf(name: string): string {
    const value = names[name];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Error(`the guide has not said yet what $${name} is`);
    return String(value);
  }

  /** A swap's status takes its time: such a request is repeated until the reply says the one that is shown. */
  async function ask(command: string, shown: Shown): Promise<void> {
    const { method, url, headers, body } = readCurl(command, valueOf);
    const [, source, target] =
      /\/swap\/(arkade|lightning|bitcoin|evm)\/(arkade|lightning|bitcoin|evm)$/.exec(url) ?? [];
    const creates = source !== undefined && target !== undefined;
    if (creates && shown.status === 200) await offered(node, pairName(source), pairName(target));
    const waited = method === 'GET' && /\/swap\/[0-9a-f-]+$/.test(url) ? statusIn(shown.body) : undefined;
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const answer = await fetch(url, {
        method,
        headers,
        ...(body === null ? {} : { body }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const reply = (await answer.json()) as Json;
      const early = waited !== undefined && statusIn(reply) !== waited;
      // As the sentence of a 503 says.
      if ((early || (answer.status === 503 && shown.status !== 503)) && performance.now() < deadline) {
        await pause(100);
        continue;
      }
      expect([answer.status, reply['error'], ...differences(shown.body, reply)]).toEqual([
        shown.status,
        (shown.body as Json)['error'],
      ]);
      names['reply'] = reply;
      if (creates && answer.status === 200) names['record'] = reply;
      return;
    }
  }

  async function listen(frames: readonly Frame[]): Promise<void> {
    if (socket === null) {
      const opened = new WebSocket(`${node.url.replace('http', 'ws')}/ws`);
      opened.on('message', (data: Buffer) => received.push(data.toString('utf8')));
      await new Promise((resolve, reject) => opened.once('open', resolve).once('error', reject));
      socket = opened;
    }
    for (const { from, text } of frames) {
      const frame = text.replace(/\$([A-Z_]+)/g, (_, name: string) => valueOf(name));
      if (from === 'client') socket.send(frame);
      else expect(JSON.parse(await nextFrame())).toEqual(JSON.parse(frame));
    }
  }

  async function nextFrame(): Promise<string> {
    for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await pause(25)) {
      const frame = received.shift();
      if (frame !== undefined) return frame;
    }
    throw new Error('the node sends no more frames');
  }

  async function take(step: Step): Promise<void> {
    switch (step.is) {
      case 'request':
        return ask(step.command, step.reply);
      case 'frames':
        return listen(step.frames);
      case 'keep':
        expect(step.values.size).toBeGreaterThan(0);
        for (const [name, path] of step.values)
          names[name] = path.split('.').reduce<unknown>((value, part) => (value as Json)[part], names['reply']);
        return;
      case 'code':
        throw new Error('code is run by its chapter');
    }
  }

  /** Which line of which document a line of all of them is. */
  function placeOf(line: number): string {
    let rest = line;
    for (const { name, text } of documents) {
      const lines = text.split('\n').length - 1;
      if (rest <= lines) return `${folder}/${name}:${rest}`;
      rest -= lines;
    }
    return folder;
  }

  test.each(chapters.filter(({ title }) => title !== library))('$title', { timeout: 240_000 }, async (chapter) => {
    try {
      await run(chapter, declared, names, take);
    } catch (cause) {
      throw new Error(`${placeOf(Number(names['$line']))}: ${(cause as Error).message}`, { cause });
    }
  });

  test('every function of the wallet is used', () => {
    const code = chapters
      .flatMap(({ steps }) => steps.flatMap((step) => (step.is === 'code' ? [step.code] : [])))
      .join('\n');
    const unused = Object.keys(declared).filter((name) => code.split(new RegExp(`\\b${name}\\b`)).length < 3);
    expect(unused).toEqual([]);
  });
});

describe('what the guide says', () => {
  test('names every status, in the order of the contract', () => {
    expect([...section('Statuses').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual([...swapStatuses]);
  });

  test('names settings by the values that they have', () => {
    const defaults = configSchema.parse({});
    const named = [...guide.matchAll(/^\| `([\w.]+)` \| ([\d,]+)/gm)].map(
      ([, path = '', value = '']) => [path, Number(value.replaceAll(',', ''))] as const,
    );
    const real = named.map(([path]) => [
      path,
      path.split('.').reduce<unknown>((value, part) => (value as Json)[part], defaults),
    ]);
    expect(named.length).toBeGreaterThan(10);
    expect(named).toEqual(real);
  });

  test('names operations that there are, with what they cost', () => {
    const byRoute = new Map(routeNames.map((name) => [`${routes[name].method} ${routes[name].path}`, routes[name]]));
    const named = [...guide.matchAll(/`((?:GET|POST|PATCH|DELETE) \/[^\s`?]*)/g)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'GET /ws');
    const priced = [...guide.matchAll(/^\| `((?:GET|POST) [^`]+)` \| ([\d.]+) /gm)].map(([, name = '', cost]) => [
      name,
      Number(cost),
    ]);
    expect(named.filter((name) => !byRoute.has(name))).toEqual([]);
    expect(priced.length).toBeGreaterThan(5);
    expect(priced).toEqual(priced.map(([name]) => [name, byRoute.get(String(name))?.cost]));
  });

  test('runs every operation by which a wallet claims, funds without gas or takes back', () => {
    const commands = chapters.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.is === 'request' ? [step.command] : [])),
    );
    const paths = commands.map((command) => /\$BASE(\/[^"?\s]*)/.exec(command)?.[1]?.replace('$ID', '{id}'));
    const operations = routeNames.filter((name) =>
      /^(create|claim|fund|redeem|refund|permit2|delegate|collabRefund)/.test(name),
    );
    const missing = operations.filter((name) => routes[name].access === 'public' && !paths.includes(routes[name].path));
    // The same refund under the name of the other direction.
    expect(missing).toEqual(['collabRefundArkadeLightning']);
  });

  function section(title: string): string {
    return guide.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';
  }
});

describe('the reader of the guide', () => {
  const real = {
    id: '70f50371-aef0-4388-a6f6-4ff82abf0b0c',
    status: 'pending',
    fee_sats: 125,
    invoice: 'lnbcrt500u1p4',
    list: [1, 2],
  };
  const shown = { ...real, id: '152494e0-4571-4ace-ac3a-32ec2dc42178', invoice: 'lnbcrt500u1...' };

  test.each([
    ['a field that there is not', { ...shown, extra: 1 }],
    ['a field left out without a word', { id: shown.id, status: 'pending', fee_sats: 125, invoice: shown.invoice }],
    ['a number as a text', { ...shown, fee_sats: '125' }],
    ['another number', { ...shown, fee_sats: 126 }],
    ['another status', { ...shown, status: 'expired' }],
    ['a list that is too short', { ...shown, list: [1] }],
    ['another beginning', { ...shown, invoice: 'lnbc500u1...' }],
  ])('sees %s', (_, wrong) => {
    expect([
      differences(shown, real),
      differences({ status: 'pending', '...': '...' }, real),
      differences(wrong, real).length,
    ]).toEqual([[], [], 1]);
  });

  test.each([
    'curl --compressed http://a',
    'curl http://a | jq',
    'curl "$(id)"',
    'curl http://a\ncurl http://b',
    'wget http://a',
    "curl 'http://a",
    'curl --json {} http://a',
  ])('refuses %s', (command) => {
    expect(() => readCurl(command, () => 'x')).toThrow();
  });

  test('reads what a shell would make of quotes and variables', () => {
    expect(readCurl(`curl -si "$BASE/a?b=c" \\\n  --json '{"key":"'$KEY'"}'`, (name) => name.toLowerCase())).toEqual({
      method: 'POST',
      url: 'base/a?b=c',
      headers: { 'content-type': 'application/json' },
      body: '{"key":"key"}',
    });
  });
});

function statusIn(body: unknown): string | undefined {
  const status = (body as { readonly status?: unknown } | null)?.status;
  return typeof status === 'string' ? status : undefined;
}

/** A network of a create's path as `/swap-pairs` names it; the EVM chain of the guide is Polygon. */
function pairName(network: string): string {
  return network === 'evm' ? '137' : network.replace(/^./, (letter) => letter.toUpperCase());
}
