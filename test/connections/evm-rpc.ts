import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As much of an EVM node's JSON-RPC as tells who it is and how far it has come; its latest block is ten seconds old. */
export interface EvmRpc {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startEvmRpc(chainId: number): Promise<EvmRpc> {
  const results: Readonly<Record<string, () => unknown>> = {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    eth_getBlockByNumber: () => ({
      number: `0x${(75_000_000).toString(16)}`,
      timestamp: `0x${(Math.floor(Date.now() / 1_000) - 10).toString(16)}`,
    }),
    eth_syncing: () => false,
  };
  const server = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      const result = results[method]?.();
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
