import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a proxy answers in the place of the RPC behind it. */
export type EvmAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** Nothing, with this status. */
  | { readonly status: number }
  | 'silence';

type Params = readonly unknown[];

/** `honest` asks the RPC behind; null hands on what it answers. */
export type EvmLie = (
  method: string,
  params: Params,
  honest: () => Promise<unknown>,
) => EvmAnswer | null | Promise<EvmAnswer | null>;

/** An RPC that says what its behaviour says, and what the one behind it says otherwise. */
export interface EvmProxy {
  readonly url: string;
  /** The methods that it was asked, in order, with their parameters. */
  readonly calls: { readonly method: string; readonly params: Params }[];
  behave(lie: EvmLie): void;
  stop(): Promise<void>;
}

export async function startEvmProxy(behind: string): Promise<EvmProxy> {
  const calls: EvmProxy['calls'] = [];
  let lie: EvmLie = () => null;

  async function honest(method: string, params: Params): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const reply = await fetch(behind, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await reply.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw error as Error;
    return result;
  }

  async function answerTo(method: string, params: Params): Promise<EvmAnswer> {
    const own = await lie(method, params, () => honest(method, params));
    if (own !== null) return own;
    return honest(method, params).then(
      (result) => ({ result }),
      (error: { code: number; message: string }) => ({ error }),
    );
  }

  const server = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: Params };
      calls.push({ method, params });
      void answerTo(method, params).then((answer) => {
        if (answer === 'silence') return;
        if ('status' in answer) return reply.writeHead(answer.status).end();
        return reply
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    behave(next) {
      lie = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
