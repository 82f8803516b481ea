import { timingSafeEqual } from 'node:crypto';
import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import { TxRejected } from '../world/bitcoin/rejection.ts';
import type { CoreCalls, CoreNode } from './core/calls.ts';
import { chainCalls } from './core/chain-calls.ts';
import { mempoolCalls } from './core/mempool-calls.ts';
import { nodeCalls } from './core/node-calls.ts';
import { readParams } from './core/params.ts';
import { RpcError } from './core/rpc-error.ts';
import { type HttpServer, type Reply, HttpError, serveHttp } from './http.ts';

export interface CoreOptions {
  readonly world: BitcoinWorld;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Without it confirmed transactions are found by block alone; with it when left out. */
  readonly txindex?: boolean;
  /** With an index of spends, as Core 31 keeps one with `-txospenderindex`; without when left out. */
  readonly spenderIndex?: boolean;
  /** Answers errors with HTTP 200 instead of Core's 500, and keeps no statistics of blocks, as btcd does. */
  readonly errorsAreOk?: boolean;
  /** Older blocks than so many are pruned; none is when left out. */
  readonly keepsBlocks?: number;
  readonly isAway?: () => boolean;
}

interface Answer {
  readonly result: unknown;
  readonly error: { readonly code: number; readonly message: string } | null;
  readonly id: unknown;
}

const codes = { request: -32600, method: -32601 } as const;
const calls: CoreCalls = { ...chainCalls, ...mempoolCalls, ...nodeCalls };

/** The chain behind Bitcoin Core's JSON-RPC: basic authentication, single calls and batches. */
export function serveCore({
  world,
  port,
  user,
  password,
  txindex = true,
  spenderIndex = false,
  errorsAreOk = false,
  keepsBlocks = Infinity,
  isAway = () => false,
}: CoreOptions): Promise<HttpServer> {
  const node: CoreNode = { world, txindex, spenderIndex, statistics: !errorsAreOk, keepsBlocks };
  const expected = Buffer.from(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);

  return serveHttp(
    port,
    async ({ method, headers, body }) => {
      if (isAway()) throw new HttpError(503, 'Work queue depth exceeded');
      const given = Buffer.from(headers.authorization ?? '');
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new HttpError(401, '');
      if (method !== 'POST') throw new HttpError(405, 'JSONRPC server handles only POST requests');
      const request = await body();
      if (Array.isArray(request)) return { status: 200, body: request.map((item) => answer(node, item)) };
      const reply = answer(node, request);
      return { status: errorsAreOk ? 200 : statusOf(reply), body: reply } satisfies Reply;
    },
    (sentence) => sentence,
  );
}

function answer(node: CoreNode, request: unknown): Answer {
  const { method, params = [], id = null } = (request ?? {}) as { method?: unknown; params?: unknown; id?: unknown };
  try {
    if (typeof method !== 'string') throw new RpcError(codes.request, 'Method must be a string');
    if (!Array.isArray(params)) throw new RpcError(codes.request, 'Params must be an array');
    const call = Object.hasOwn(calls, method) ? calls[method] : undefined;
    if (call === undefined) throw new RpcError(codes.method, 'Method not found');
    return { result: call(node, readParams(method, params)), error: null, id };
  } catch (error) {
    if (error instanceof RpcError || error instanceof TxRejected)
      return { result: null, error: { code: error.code, message: error.message }, id };
    throw error;
  }
}

function statusOf({ error }: Answer): number {
  if (error === null) return 200;
  return error.code === codes.method ? 404 : error.code === codes.request ? 400 : 500;
}
