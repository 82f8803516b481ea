import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import { medianOfTimes } from '../../../engine/adapters/bitcoin/headers.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { genesis as firstBlock } from '../../../engine/sandbox/world/bitcoin/block.ts';
import { difficultyBits, mineHeader, versionOf, type Header } from '../../../engine/sandbox/world/bitcoin/header.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import { openWorlds } from '../../sandbox/worlds.ts';
import { PortFailure } from '../../../engine/domain/errors.ts';

const genesis = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

function fromServers(urls: readonly string[], limit?: number): BitcoinPort {
  const port = connectBitcoin({
    network: 'regtest',
    core: null,
    esplora: urls,
    ...(limit === undefined ? {} : { limit }),
  });
  if (port === null) throw new Error('no server was given');
  return port;
}

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

const mined: Header[] = [firstBlock];

/** Headers of one chain with their work, mined as far as anybody asks. */
function headerAt(height: number): Header {
  for (let next = mined.length; next <= height; next++)
    mined.push(mineHeader(mined[next - 1] ?? firstBlock, next.toString(16).padStart(64, '0'), timeOf(next), 0));
  return mined[height] ?? firstBlock;
}

function id(height: number): string {
  return headerAt(height).hash;
}

/** A chain whose times go up and down, as real ones do. */
function timeOf(height: number): number {
  if (height === 0) return firstBlock.time;
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
      version: versionOf(headerAt(height)),
      merkle_root: headerAt(height).merkleRoot,
      bits: difficultyBits,
      nonce: headerAt(height).nonce,
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
    const clock = fromServers([await serve(chain(840))]);
    expect([await clock.genesis(), await clock.tip()]).toEqual([
      genesis,
      { hash: id(840), height: 840, time: timeOf(840), mtp: expectedMedian(840) },
    ]);
  });

  it('computes the median over eleven blocks, or all of a young chain, where a server leaves it out', async () => {
    const tips = await Promise.all(
      [840, 10, 4, 0].map(async (height) => fromServers([await serve(chain(height, false))]).tip()),
    );
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
      serve(() => ({ body: ' '.repeat(10_000_001) })),
    ]);
    for (const url of [...bad, 'http://127.0.0.1:1']) {
      expect(await fromServers([url, good], 1_000).tip()).toMatchObject({ height: 12 });
    }
  });

  it('fails with a sentence when no server answers, and may be asked again', async () => {
    const clock = fromServers(['http://127.0.0.1:1', await serve(() => ({ status: 503, body: '' }))]);
    const failure = await clock.tip().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PortFailure);
    expect(failure).toMatchObject({
      code: 'bitcoin-away',
      retry: 'safe',
      message: expect.stringContaining('answered 503'),
    });
  });

  it('returns to no server that lags behind another one, but follows a chain that all agree on', async () => {
    let [first, second] = [100, 100];
    const clock = fromServers([await serve((path) => chain(first)(path)), await serve((path) => chain(second)(path))]);
    const heights: number[] = [];
    for ([first, second] of [
      [100, 100],
      [90, 101],
      [101, 101],
      [99, 98],
    ] as [number, number][])
      heights.push((await clock.tip()).height);
    expect(heights).toEqual([100, 101, 101, 99]);
  });

  it('takes a chain that lost its blocks for away, and believes it again once it has them', async () => {
    let height = 1_400;
    const clock = fromServers([await serve((path) => chain(height)(path))]);
    const answers: unknown[] = [];
    for (height of [1_400, 0, 1_299, 1_300, 1_401])
      answers.push(
        await clock.tip().then(
          (tip) => tip.height,
          (cause: PortFailure) => [cause.code, cause.retry],
        ),
      );
    expect(answers).toEqual([1_400, ['bitcoin-behind', 'safe'], ['bitcoin-behind', 'safe'], 1_300, 1_401]);
    height = 3;
    await expect(clock.tip()).rejects.toThrow(/at height 3, and 1401 was seen there before/);
  });

  it('never believes a server of another network, and names both networks', async () => {
    const mainnet = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
    const stranger = await serve((path) => (path === '/block-height/0' ? { body: mainnet } : chain(900_000)(path)));
    const alone = fromServers([stranger]);
    const refused = {
      code: 'other-network',
      message: expect.stringMatching(/^The Esplora server 127.0.0.1:\d+ is on mainnet, this node is on regtest/),
    };
    await expect(alone.tip()).rejects.toMatchObject(refused);
    await expect(alone.genesis()).rejects.toMatchObject(refused);
    await expect(alone.coins([new Uint8Array(34)])).rejects.toMatchObject(refused);
    expect(await fromServers([stranger, await serve(chain(12))]).tip()).toMatchObject({ height: 12 });
  });

  it('tells signets apart by their second block', async () => {
    const first = '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6';
    const seconds = {
      signet: '00000086d6b2636cb2a392d45edc4ec544a10024d30141c9adf4bfd9de533b53',
      mutinynet: '000002855893a0a9b24eaffc5efc770558a326fee4fc10c9da22fc19cd2954f9',
    };
    const servers = await Promise.all(
      Object.values(seconds).map((second) =>
        serve((path) => ({ body: path === '/block-height/0' ? first : path === '/block-height/1' ? second : '' })),
      ),
    );
    const answers = await Promise.all(
      (['signet', 'mutinynet'] as const).flatMap((network) =>
        servers.map(async (url) => {
          const port = connectBitcoin({ network, core: null, esplora: [url] });
          return port?.genesis().catch((cause: Error) => cause.message.replace(/^.*? is on /, ''));
        }),
      ),
    );
    const other = (theirs: string, ours: string) =>
      expect.stringContaining(`${theirs}, this node is on ${ours}`) as string;
    expect(answers).toEqual([first, other('mutinynet', 'signet'), other('signet', 'mutinynet'), first]);
  });

  it('follows the sandbox’s chain through blocks and a leap of its clock', async () => {
    const { bitcoin, lightning } = openWorlds();
    const server = await serveEsplora(bitcoin, 0);
    const clock = fromServers([server.url]);
    const tips = [await clock.tip()];
    bitcoin.advance(3_600);
    tips.push(await clock.tip());
    lightning.stop();
    await server.stop();
    expect(tips[1]).toEqual({
      hash: bitcoin.tip().hash,
      height: bitcoin.clock.height(),
      time: expect.any(Number),
      mtp: bitcoin.clock.mtp(),
    });
    expect((tips[1]?.mtp ?? 0) - (tips[0]?.mtp ?? 0)).toBeGreaterThanOrEqual(3_500);
  });

  it('refuses a median whose pages come from two chains', async () => {
    const url = await serve((path) => {
      if (path === '/block-height/0') return { body: genesis };
      if (path === '/blocks') return { body: page(50, false) };
      return { body: page(40, false).replaceAll(id(40), '77'.repeat(32)) };
    });
    await expect(fromServers([url]).tip()).rejects.toThrow('changed its chain between two pages');
  });
});
