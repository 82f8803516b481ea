import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';

/** An answer that says no; `code` is the one of Bitcoin Core's `rpc/protocol.h`. */
export class RpcError extends Error {
  readonly code: number;
  /** In the node's words alone. */
  readonly reason: string;
  constructor(method: string, code: number, reason: string) {
    super(`${method}: ${reason} (${code})`);
    this.code = code;
    this.reason = reason;
  }
}

/** JSON-RPC of a Bitcoin node, for the kit's own use; the product's adapter is another one. */
export interface Rpc {
  call<T>(method: string, ...params: readonly unknown[]): Promise<T>;
  /** All answers in order, with one request. */
  batch<T>(calls: readonly (readonly [method: string, ...params: readonly unknown[]])[]): Promise<T[]>;
  close(): void;
}

export interface RpcEndpoint {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Null for an address of plain http. */
  readonly caFile: string | null;
}

interface Reply {
  readonly id: number;
  readonly result: unknown;
  readonly error: { readonly code: number; readonly message: string } | null;
}

const limitMs = 30_000;

export function openRpc({ url, user, password, caFile }: RpcEndpoint): Rpc {
  const agentOptions = { keepAlive: true, maxSockets: 4 };
  const agent =
    caFile === null ? new http.Agent(agentOptions) : new https.Agent({ ...agentOptions, ca: readFileSync(caFile) });
  const { request } = caFile === null ? http : https;

  function post(body: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        {
          method: 'POST',
          agent,
          auth: `${user}:${password}`,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
          timeout: limitMs,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            try {
              resolve(JSON.parse(text));
            } catch (cause) {
              reject(new Error(`the node answered ${response.statusCode}: ${text.slice(0, 200)}`, { cause }));
            }
          });
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`the node did not answer within ${limitMs / 1_000} s`)));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  async function batch<T>(calls: readonly (readonly [string, ...(readonly unknown[])])[]): Promise<T[]> {
    if (calls.length === 0) return [];
    const requests = calls.map(([method, ...params], id) => ({ jsonrpc: '1.0', id, method, params }));
    const replies = (await post(JSON.stringify(requests))) as Reply[];
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    return calls.map(([method], id) => resultOf<T>(method, byId.get(id)));
  }

  return {
    async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
      return resultOf<T>(method, (await post(JSON.stringify({ jsonrpc: '1.0', id: 0, method, params }))) as Reply);
    },
    batch,
    close: () => agent.destroy(),
  };
}

function resultOf<T>(method: string, reply: Reply | undefined): T {
  if (reply === undefined) throw new Error(`${method}: no answer`);
  if (reply.error !== null) throw new RpcError(method, reply.error.code, reply.error.message);
  return reply.result as T;
}
