import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeFunctionData, parseAbi, type Hex } from 'viem';
import places from '../../../resources/sandbox/evm-places.json' with { type: 'json' };
import genesis from '../../../resources/sandbox/evm-137.json' with { type: 'json' };
import type { EvmEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { faucetAccount } from '../../../engine/sandbox/world/evm/faucet-account.ts';
import { openEvmInProcess } from './chain.ts';
import { RpcFailure } from './failure.ts';

/** The sandbox's chain of tokens within this process, behind a URL: it outlives every node that is started on it. */
export interface EvmWorld {
  readonly endpoints: EvmEndpoints;
  /** Units of a token, or of the coin for the zero address; in a block when it returns. */
  give(to: string, token: string, amount: bigint): Promise<void>;
  /** A call by whoever holds what was there from the first block; in a block when it returns. */
  call(to: string, data: string): Promise<void>;
  stop(): Promise<void>;
}

const blockMs = 50;
const zero = `0x${'00'.repeat(20)}`;
const erc20 = parseAbi(['function transfer(address to, uint256 amount)']);

interface Question {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** `now`: unix seconds of whoever moves the time. */
export async function startEvmWorld(now: () => number): Promise<EvmWorld> {
  const chain = await openEvmInProcess(genesis, now);
  let nonce = 0;
  let mining: Promise<void> = Promise.resolve();

  async function answer({ id, method, params = [] }: Question): Promise<object> {
    try {
      return { jsonrpc: '2.0', id, result: await chain.call(method, ...params) };
    } catch (cause) {
      if (!(cause instanceof RpcFailure)) throw cause;
      const { code, message, data } = cause;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  const server = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      void (async () => {
        const questions = JSON.parse(text) as Question | Question[];
        const answers = Array.isArray(questions) ? await Promise.all(questions.map(answer)) : await answer(questions);
        reply.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
      })();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timer = setInterval(() => {
    mining = mining.then(() => chain.mine(1));
  }, blockMs);

  return {
    endpoints: { ...places[137], rpcUrl: url, secondRpcUrl: url },
    async give(to, token, amount) {
      const fees = { type: 'legacy', chainId: 137, gas: 200_000n, gasPrice: 100_000_000_000n, nonce: nonce++ } as const;
      const data = encodeFunctionData({ abi: erc20, args: [to as Hex, amount] });
      const pay = token === zero ? { to: to as Hex, value: amount } : { to: token as Hex, data };
      await chain.call('eth_sendRawTransaction', await faucetAccount.signTransaction({ ...fees, ...pay }));
      await chain.mine(1);
    },
    async call(to, data) {
      const fees = {
        type: 'legacy',
        chainId: 137,
        gas: 1_000_000n,
        gasPrice: 100_000_000_000n,
        nonce: nonce++,
      } as const;
      await chain.call(
        'eth_sendRawTransaction',
        await faucetAccount.signTransaction({ ...fees, to: to as Hex, data: data as Hex }),
      );
      await chain.mine(1);
    },
    async stop() {
      clearInterval(timer);
      await mining;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
