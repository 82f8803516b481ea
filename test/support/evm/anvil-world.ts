import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import genesis from '../../../resources/sandbox/evm-137.json' with { type: 'json' };
import places from '../../../resources/sandbox/evm-places.json' with { type: 'json' };
import { openEvmChain } from '../../../engine/sandbox/world/evm/chain.ts';
import { faucetAccount } from '../../../engine/sandbox/world/evm/faucet-account.ts';
import { serveEvm } from '../../../engine/sandbox/wire/evm.ts';
import { memoryJournal } from '../memory-journal.ts';
import type { EvmWorld } from './world.ts';

const chainId = 137;
const blockMs = 200;
const zero = `0x${'00'.repeat(20)}`;

/** The sandbox's chain of tokens on anvil, a process of its own. `now`: unix seconds of whoever moves the time. */
export async function startAnvilWorld(now: () => number): Promise<EvmWorld> {
  const journal = memoryJournal();
  const chain = await openEvmChain({ chainId, journal, now, genesis: () => Promise.resolve(genesis) });
  await chain.follow();
  const server = await serveEvm(chain, { port: 0, legacyOnly: false });
  let nonce = Number(await chain.call('eth_getTransactionCount', faucetAccount.address, 'latest'));
  let mining: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    mining = mining.then(() => chain.mine(1));
  }, blockMs);

  async function send(what: { readonly to: Hex; readonly value?: bigint; readonly data?: Hex }): Promise<void> {
    const fees = { type: 'legacy', chainId, gas: 1_000_000n, gasPrice: 100_000_000_000n, nonce: nonce++ } as const;
    await chain.sendAndMine([await faucetAccount.signTransaction({ ...fees, ...what })]);
  }

  return {
    endpoints: { ...places[chainId], rpcUrl: server.url, secondRpcUrl: server.url },
    give: (to, token, amount) =>
      send(
        token === zero
          ? { to: to as Hex, value: amount }
          : {
              to: token as Hex,
              data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, amount] }),
            },
      ),
    call: (to, data) => send({ to: to as Hex, data: data as Hex }),
    async stop() {
      clearInterval(timer);
      await mining;
      await server.stop();
      await chain.stop();
    },
  };
}
