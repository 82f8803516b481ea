import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { esploraClock, medianOfTimes } from '../../../engine/adapters/bitcoin/esplora-clock.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import { openWorlds } from '../../sandbox/worlds.ts';
import { PortFailure } from '../../../engine/domain/errors.ts';

const genesis = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

type Answer = { status?: number; body: string; hang?: boolean; location?: string };

async function serve(answer: (path: string) => Answer): Promise<string> {
  const server = createServer((request, reply) => {
    const { status = 200, body, hang, location } = answer(request.url ?? '');
    if (hang === true) return;
    reply.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function id(height: number, branch = 0): string {
  return (height * 16 + branch).toString(16).padStart(64, '0');
}

/** A chain whose times go up and down, as real ones do. */
function timeOf(height: number): number {
  return 1_700_000_000 + height * 600 + (height % 3) * 1_500;
}

function page(from: number, median: boolean): string {
  const heights = Array.from({ length: 10 }, (_, i) => from - i).filter((height) => height >= 0);
  return JSON.stringify(
    heights.map((height) => ({
      id: id(height),
      height,
      timestamp: timeOf(height),
      previousblockhash: height === 0 ? null : id(height - 1),
      ...(median ? { mediantime: expectedMedian(height) } : {}),
    })),
  );
}

function expectedMedian(height: number): number {
  const times = Array.from({ length: Math.min(11, height + 1) }, (_, i) => timeOf(height - i)).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}

function chain(tip: number, median = true) {
  return (path: string): Answer => {
    if (path === '/block-height/0') return { body: genesis };
    const from = path === '/blocks' ? tip : Number(path.replace('/blocks/', ''));
    return { body: page(from, median) };
  };
}

describe('the Bitcoin clock over Esplora', () => {
  it('reads the tip with its median time past, and the genesis hash', async () => {
    const clock = esploraClock({ urls: [await serve(chain(840))] });
    expect([await clock.genesis(), await clock.tip()]).toEqual([genesis, { hash: id(840), height: 840, time: timeOf(840), mtp: expectedMedian(840) }]);
  });

  it('computes the median over eleven blocks, or all of a young chain, where a server leaves it out', async () => {
    const tips = await Promise.all([840, 10, 4, 0].map(async (height) => esploraClock({ urls: [await serve(chain(height, false))] }).tip()));
    expect(tips.map((tip) => tip.mtp)).toEqual([840, 10, 4, 0].map(expectedMedian));
    expect(medianOfTimes([5, 1, 4, 2])).toBe(4);
  });

  it('goes on to the next server when one is away, broken, silent, redirecting or answers nonsense', async () => {
    const good = await serve(chain(12));
    const bad = await Promise.all([
      serve(() => ({ status: 500, body: 'x' })),
      serve(() => ({ body: '{"error":"rate limited"}' })),
      serve(() => ({ body: '[{"id":"zz","height":-1}]' })),
      serve(() => ({ body: '', hang: true })),
      serve(() => ({ status: 302, body: '', location: `${good}/blocks` })),
      serve(() => ({ body: ' '.repeat(1_000_001) })),
    ]);
    for (const url of [...bad, 'http://127.0.0.1:1']) {
      expect(await esploraClock({ urls: [url, good], limit: 300 }).tip()).toMatchObject({ height: 12 });
    }
  });

  it('fails with a sentence when no server answers, and may be asked again', async () => {
    const clock = esploraClock({ urls: ['http://127.0.0.1:1', await serve(() => ({ status: 503, body: '' }))] });
    const failure = await clock.tip().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PortFailure);
    expect(failure).toMatchObject({ code: 'bitcoin-away', retry: 'safe', message: expect.stringContaining('it answered 503') });
  });

  it('does not go back to a server that lags while another one is ahead, but follows a chain that all agree on', async () => {
    let [first, second] = [100, 100];
    const clock = esploraClock({ urls: [await serve((path) => chain(first)(path)), await serve((path) => chain(second)(path))] });
    const heights: number[] = [];
    for ([first, second] of [[100, 100], [90, 101], [101, 101], [99, 98]] as [number, number][]) heights.push((await clock.tip()).height);
    expect(heights).toEqual([100, 101, 101, 99]);
  });

  it('follows the sandbox’s chain through blocks and a leap of its clock', async () => {
    const { bitcoin, lightning } = openWorlds();
    const server = await serveEsplora(bitcoin, 0);
    const clock = esploraClock({ urls: [server.url] });
    const seen = [await clock.tip()];
    bitcoin.advance(3_600);
    seen.push(await clock.tip());
    lightning.stop();
    await server.stop();
    expect(seen[1]).toEqual({ hash: bitcoin.tip().hash, height: bitcoin.clock.height(), time: expect.any(Number), mtp: bitcoin.clock.mtp() });
    expect((seen[1]?.mtp ?? 0) - (seen[0]?.mtp ?? 0)).toBeGreaterThanOrEqual(3_500);
  });

  it('refuses a median whose pages come from two chains', async () => {
    const url = await serve((path) => {
      if (path === '/blocks') return { body: page(50, false) };
      return { body: page(40, false).replaceAll(id(40), id(40, 7)) };
    });
    await expect(esploraClock({ urls: [url] }).tip()).rejects.toThrow('chain changed');
  });
});
