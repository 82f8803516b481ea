import type { EvmChain } from '../world/evm/chain.ts';
import { keccak } from '../world/evm/hex.ts';
import { type Answering, answering, failing } from './evm/answer.ts';
import { lagging } from './evm/lag.ts';
import { type LieMemory, lying } from './evm/lies.ts';
import { type HttpServer, HttpError, serveHttp } from './http.ts';

export interface EvmServer extends HttpServer {
  /** A second RPC of the same chain, which no fault befalls. */
  readonly secondUrl: string;
  /** How the first one behaves from now on; over a restart too. */
  setFault(fault: RpcFault): void;
  fault(): RpcFault;
}

export type RpcFault = 'away' | 'lags' | 'lies' | 'back';

const mostCalls = 1_000;

/** A chain's JSON-RPC, as a provider offers it: what a node of the chain answers, and nothing that only anvil does. */
export async function serveEvm(
  chain: EvmChain,
  { port, legacyOnly }: { port: number; legacyOnly: boolean },
): Promise<EvmServer> {
  const honest = answering(chain, legacyOnly);
  const memory: LieMemory = {
    hashes: new Map(),
    mined: new Map(),
    waiting: () => chain.record.waiting().map((raw) => keccak(raw)),
    async logsOf({ from, to, input, value, gas }) {
      const calls = [{ from, to, data: input, value, gas }];
      const [block] = (await chain.call('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'latest')) as {
        calls: { logs: Record<string, unknown>[] }[];
      }[];
      return block?.calls[0]?.logs ?? [];
    },
  };

  const present = () => (chain.record.setting('rpc') ?? { is: 'back', height: 0 }) as Fault;

  function behaviour(): Answering {
    const { is, height } = present();
    switch (is) {
      case 'away':
        throw new HttpError(503, 'The RPC is away.');
      case 'lags':
        return lagging(honest, height);
      case 'lies':
        return lying(honest, height, memory);
      case 'back':
        return honest;
    }
  }

  const server = await serveHttp(
    port,
    async ({ method, path, body }) => {
      if (method !== 'POST') throw new HttpError(405, 'JSON-RPC takes POST.');
      const answer = path === '/second' ? honest : behaviour();
      const content = await body();
      if (!Array.isArray(content)) return { status: 200, body: await one(answer, content) };
      if (content.length > mostCalls) throw new HttpError(413, `A batch has at most ${mostCalls} calls.`);
      return { status: 200, body: await Promise.all(content.map((call) => one(answer, call))) };
    },
    (sentence) => ({ jsonrpc: '2.0', id: null, error: { code: -32000, message: sentence } }),
  );
  return {
    ...server,
    secondUrl: `${server.url}/second`,
    fault: () => present().is,
    setFault(is) {
      chain.record.set('rpc', { is, height: chain.tip().number } satisfies Fault);
    },
  };
}

interface Fault {
  readonly is: RpcFault;
  /** The tip when it began. */
  readonly height: number;
}

async function one(answer: Answering, call: unknown): Promise<unknown> {
  const { id = null, method, params = [] } = (call ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  const outcome =
    typeof method === 'string' && Array.isArray(params)
      ? await answer({ method, params })
      : failing(-32600, 'invalid request');
  return { jsonrpc: '2.0', id, ...outcome };
}
