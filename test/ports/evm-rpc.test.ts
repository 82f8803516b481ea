import { describe } from 'vitest';
import genesis from '../../resources/sandbox/evm-137.json' with { type: 'json' };
import { serveEvm } from '../../engine/sandbox/wire/evm.ts';
import { faucetAccount } from '../../engine/sandbox/world/evm/faucet-account.ts';
import { clockOfTests, fund, openChain, token, transferring } from '../sandbox/evm/kit.ts';
import { openEvmInProcess } from '../support/evm/chain.ts';
import { RpcFailure } from '../support/evm/failure.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { type EvmScene, evmRpcSuite } from './evm-rpc-suite.ts';

describe('the JSON-RPC of the sandbox, over anvil', () =>
  evmRpcSuite(async (): Promise<EvmScene> => {
    const chain = await openChain(memoryJournal(), clockOfTests());
    const server = await serveEvm(chain, { port: 0, legacyOnly: false });
    return {
      async call(method, ...params) {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        const headers = { 'content-type': 'application/json' };
        const reply = (await (await fetch(server.url, { method: 'POST', headers, body })).json()) as {
          result?: unknown;
          error?: { code: number; message: string; data?: string };
        };
        if (reply.error !== undefined) throw new RpcFailure(reply.error.code, reply.error.message, reply.error.data);
        return reply.result;
      },
      mine: (blocks) => chain.mine(blocks),
      setBaseFee: (wei) => chain.setBaseFee(wei),
      async fund(to, coins, wbtc) {
        await fund(chain, to, '', coins);
        await fund(chain, to, 'WBTC', wbtc);
      },
      async stop() {
        await server.stop();
        await chain.stop();
      },
    };
  }));

describe('the JSON-RPC in process, over a library', () =>
  evmRpcSuite(async (): Promise<EvmScene> => {
    const clock = clockOfTests();
    const chain = await openEvmInProcess(genesis, () => clock.seconds);
    return {
      call: (method, ...params) => chain.call(method, ...params),
      mine: (blocks) => chain.mine(blocks),
      setBaseFee: async (wei) => chain.setBaseFee(wei),
      async fund(to, coins, wbtc) {
        const fees = { type: 'legacy', chainId: 137, gas: 200_000n, gasPrice: 100_000_000_000n } as const;
        const pays = [
          { to, value: coins, nonce: 0 },
          { to: token('WBTC'), data: transferring(to, wbtc), nonce: 1 },
        ];
        for (const pay of pays)
          await chain.call('eth_sendRawTransaction', await faucetAccount.signTransaction({ ...fees, ...pay }));
        await chain.mine(1);
      },
      stop: async () => undefined,
    };
  }));
