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
  /** How many calls each request brought, in order. */
  readonly requests: number[];
  behave(lie: EvmLie): void;
  /** Refuses a batch of more calls than that, as some providers do: with one error for all of it. */
  limitBatches(most: number): void;
  /** Says nothing of the calls of a batch with that first parameter. */
  leaveOut(first: string): void;
  stop(): Promise<void>;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: Params;
}

const tooLarge = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } };

export async function startEvmProxy(behind: string): Promise<EvmProxy> {
  const calls: EvmProxy['calls'] = [];
  const requests: number[] = [];
  let lie: EvmLie = () => null;
  let mostInBatch = Infinity;
  let leftOut: string | null = null;

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

  /** In whatever order: the ids tell. */
  function listed(replies: readonly object[], questions: readonly Call[]): readonly object[] {
    return replies.filter((_, at) => leftOut === null || questions[at]?.params[0] !== leftOut).toReversed();
  }

  const server = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const content = JSON.parse(text) as Call | readonly Call[];
      const questions = Array.isArray(content) ? (content as readonly Call[]) : [content as Call];
      requests.push(questions.length);
      if (questions.length > mostInBatch) return void reply.end(JSON.stringify(tooLarge));
      calls.push(...questions.map(({ method, params }) => ({ method, params })));
      void Promise.all(questions.map(({ method, params }) => answerTo(method, params))).then((answers) => {
        if (answers.includes('silence')) return;
        const refusal = answers.find((answer) => typeof answer === 'object' && 'status' in answer);
        if (typeof refusal === 'object' && 'status' in refusal) return reply.writeHead(refusal.status).end();
        const replies = questions.map(({ id }, at) => ({ jsonrpc: '2.0', id, ...(answers[at] as object) }));
        return reply
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(Array.isArray(content) ? listed(replies, questions) : replies[0]));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    requests,
    behave(next) {
      lie = next;
    },
    limitBatches(most) {
      mostInBatch = most;
    },
    leaveOut(first) {
      leftOut = first;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
