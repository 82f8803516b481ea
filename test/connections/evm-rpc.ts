import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * As much of an EVM node's JSON-RPC as tells who it is, how far it has come and what an account has: nothing. Its
 * latest block is ten seconds old.
 */
export interface EvmRpc {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startEvmRpc(chainId: number): Promise<EvmRpc> {
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const text = `0x${word(32)}${word(4)}${Buffer.from('WBTC').toString('hex').padEnd(64, '0')}`;
  /**
   * What a token answers, by the selector of the question: decimals, symbol, name, and a balance for everything else.
   */
  const views: Readonly<Record<string, string>> = {
    '0x313ce567': `0x${word(8)}`,
    '0x95d89b41': text,
    '0x06fdde03': text,
  };
  const results: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    eth_getBlockByNumber: () => ({
      hash: `0x${'ab'.repeat(32)}`,
      parentHash: `0x${'aa'.repeat(32)}`,
      number: `0x${(75_000_000).toString(16)}`,
      timestamp: `0x${(Math.floor(Date.now() / 1_000) - 10).toString(16)}`,
    }),
    eth_getBalance: () => '0x0',
    eth_call: ([call]) => views[(call as { data: string }).data.slice(0, 10)] ?? `0x${word(0)}`,
    eth_syncing: () => false,
  };
  const server = createServer((request, reply) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
      const result = results[method]?.(params);
      const answer =
        result === undefined ? { error: { code: -32_601, message: 'the method does not exist' } } : { result };
      reply.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
