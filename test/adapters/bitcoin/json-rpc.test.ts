import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import { core } from '../../../engine/adapters/bitcoin/core.ts';
import { scanned } from '../../../engine/adapters/bitcoin/core-scan.ts';
import { coreRpc, RpcRefusal, type CoreEndpoint } from '../../../engine/adapters/bitcoin/json-rpc.ts';
import { PortFailure } from '../../../engine/domain/errors.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Question {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Reply = { status?: number; body: string; hang?: boolean; location?: string };

async function serve(reply: (question: Question) => Reply): Promise<CoreEndpoint & { readonly questions: Question[] }> {
  const questions: Question[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      questions.push(one);
      const { status = 200, body, hang, location } = reply(one);
      if (hang !== true) response.writeHead(status, location === undefined ? {} : { location }).end(body);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    user: 'rpc',
    password: 'päss:word',
    ca: null,
    limit: 400,
    questions,
  };
}

async function failureOf(reply: Reply): Promise<unknown> {
  const endpoint = await serve(() => reply);
  // Only silence is waited out: the largest of these answers takes its time on a busy machine.
  const limit = reply.hang === true ? 400 : 30_000;
  return coreRpc(endpoint)
    .call('getbestblockhash', [], limit)
    .then(
      () => 'answered',
      (cause: unknown) =>
        cause instanceof PortFailure
          ? [cause.code, cause.retry, cause.message.replace(/127.0.0.1:\d+/g, 'HOST')]
          : cause instanceof RpcRefusal
            ? ['refused', cause.code, cause.message]
            : cause,
    );
}

describe('the JSON-RPC of a Bitcoin node', () => {
  test('sends JSON-RPC 1.0 with the credentials, and gives the result back', async () => {
    const endpoint = await serve(() => ({ body: '{"result":null,"error":null,"id":1}' }));
    expect(await coreRpc(endpoint).call('gettxout', ['00', 1, false])).toBe(null);
    expect(
      endpoint.questions.map(({ headers, body }) => [headers.authorization, headers['content-type'], JSON.parse(body)]),
    ).toEqual([
      [
        `Basic ${Buffer.from('rpc:päss:word').toString('base64')}`,
        'application/json',
        { jsonrpc: '1.0', id: 1, method: 'gettxout', params: ['00', 1, false] },
      ],
    ]);
  });

  test('a refusal is one whether it comes with HTTP 500, 404 or 200', async () => {
    const body = '{"result":null,"error":{"code":-5,"message":"Block not found"},"id":1}';
    expect(await Promise.all([500, 404, 200].map((status) => failureOf({ status, body })))).toEqual(
      Array(3).fill(['refused', -5, 'Block not found']),
    );
  });

  test('everything that is no answer is a repeatable failure, in one sentence without the password', async () => {
    const failures = await Promise.all(
      (
        [
          { status: 401, body: '' },
          { status: 403, body: '' },
          { status: 500, body: '{"result":null,"error":{"code":-28,"message":"Loading block index…"},"id":1}' },
          { body: '' },
          { status: 503, body: 'Work queue depth exceeded' },
          { body: '<html>nginx</html>' },
          { body: '{"id":1}' },
          { body: '[]' },
          { body: '', hang: true },
          { status: 302, body: '', location: 'http://127.0.0.1:1/' },
          { body: ' '.repeat(40_000_001) },
        ] satisfies Reply[]
      ).map(failureOf),
    );
    expect(failures).toEqual([
      [
        'bitcoin-unauthorized',
        'safe',
        'The Bitcoin node HOST refuses the user name or the password: name its cookie file, or give the ones of ' +
          'its rpcuser and rpcpassword, or rpcauth.',
      ],
      [
        'bitcoin-unauthorized',
        'safe',
        'The Bitcoin node HOST does not let this machine or this user call getbestblockhash: look at its ' +
          'rpcallowip and its rpcwhitelist.',
      ],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST is still starting: Loading block index…'],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST answered HTTP 200 and nothing else.'],
      [
        'bitcoin-away',
        'safe',
        'The Bitcoin node HOST has more calls waiting than it takes: raise its rpcworkqueue, or have other ' +
          'programs ask it less.',
      ],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST answered HTTP 200 and no JSON: is it a Bitcoin node?'],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST answered getbestblockhash with HTTP 200 and no result.'],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST answered getbestblockhash with HTTP 200 and no result.'],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST did not answer within 400 ms.'],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST answered HTTP 302 and nothing else.'],
      ['bitcoin-away', 'safe', 'The Bitcoin node HOST cannot be reached: it answered more than 40000000 bytes.'],
    ]);
  });

  test('a cookie is read again when the node refuses it, once for each call, and a missing one is said', async () => {
    const { url, questions } = await serve(({ headers }) => {
      const word = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
      return word === `__cookie__:${accepted}` ? { body: '{"result":"fine","id":1}' } : { status: 401, body: '' };
    });
    let accepted = 'first';
    let written: string | null = null;
    let reads = 0;
    const rpc = coreRpc({
      url,
      ca: null,
      cookie() {
        reads += 1;
        return written === null ? null : { user: '__cookie__', password: written };
      },
    });
    const call = () => rpc.call('getbestblockhash').catch((cause: PortFailure) => [cause.code, cause.message]);
    const missing = await call();
    written = 'first';
    const first = [await call(), await call()];
    accepted = 'second';
    const stale = await call();
    written = 'second';
    const renewed = await call();
    expect([missing, first, stale, renewed, reads, questions.length]).toEqual([
      ['bitcoin-away', expect.stringContaining('has no cookie file')],
      ['fine', 'fine'],
      ['bitcoin-unauthorized', expect.stringContaining('name its cookie file')],
      'fine',
      4,
      5,
    ]);
  });

  test('a scan that somebody else has begun is waited for, in a sentence that says so', async () => {
    const error = { code: -8, message: 'Scan already in progress, use action "abort" or "status"' };
    const endpoint = await serve(() => ({ status: 500, body: JSON.stringify({ result: null, error, id: 1 }) }));
    await expect(scanned(coreRpc(endpoint), ['51'])).rejects.toMatchObject({
      code: 'bitcoin-away',
      retry: 'safe',
      message: expect.stringMatching(
        /reads its coins for somebody else now, and makes one scan at a time: it is asked again\.$/,
      ),
    });
  });

  test('a batch keeps the order of its questions, with the refusals among the answers', async () => {
    const endpoint = await serve(({ body }) => {
      const calls = JSON.parse(body) as { id: number; params: [string] }[];
      return {
        body: JSON.stringify(
          calls
            .map(({ id, params: [text] }) =>
              text === 'gone'
                ? { id, result: null, error: { code: -5, message: 'gone' } }
                : { id, result: text, error: null },
            )
            .reverse(),
        ),
      };
    });
    const answers = await coreRpc(endpoint).batch('getrawtransaction', [['a'], ['gone'], ['b']]);
    expect(answers.map((answer) => (answer instanceof RpcRefusal ? answer.code : answer))).toEqual(['a', -5, 'b']);
    expect(await coreRpc(endpoint).batch('getrawtransaction', [])).toEqual([]);
  });

  test('a transaction whose answer was lost may have arrived: it is asked for before anything else', async () => {
    const silent = await serve(() => ({ body: '', hang: true }));
    await expect(core(silent).broadcast(new Uint8Array(10))).rejects.toMatchObject({ retry: 'ask-first' });
    // Nothing is sent to a node that did not even tell whose chain it is on.
    await expect(
      connectBitcoin({ network: 'regtest', core: silent, esplora: [] })?.broadcast(new Uint8Array(10)),
    ).rejects.toMatchObject({ retry: 'safe' });
  });
});
