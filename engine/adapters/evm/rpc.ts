import type { Hex } from 'viem';
import { isHex } from 'viem/utils';
import { NoAnswer } from '../probe/answer.ts';
import { ask, jsonOf } from '../probe/http.ts';

const limitMs = 20_000;

/** One endpoint of a chain. What it answers is checked for its form where it is used. */
export type Rpc = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** Asks one URL, each question within a time limit. Throws its error too when it comes with HTTP 200. */
export function rpcAt(url: string): Rpc {
  return async (method, ...params) => {
    const reply = await ask({
      url,
      signal: AbortSignal.timeout(limitMs),
      post: { jsonrpc: '2.0', id: 1, method, params },
    });
    const { result, error } = jsonOf(reply) as { result?: unknown; error?: { message?: unknown } | null };
    if (error !== undefined && error !== null)
      throw new NoAnswer('other', `${method}: ${JSON.stringify(String(error.message)).slice(0, 300)}`);
    return result;
  };
}

export function asHex(value: unknown, what: string): Hex {
  if (!isHex(value)) throw new NoAnswer('not-it', `it answered without ${what}`);
  return value;
}

export function asQuantity(value: unknown, what: string): bigint {
  return BigInt(asHex(value, what));
}
