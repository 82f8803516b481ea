import { createRequire } from 'node:module';
import { toHex, type Address } from 'viem';
import genesis from '../../../resources/sandbox/evm-137.json' with { type: 'json' };
import places from '../../../resources/sandbox/evm-places.json' with { type: 'json' };
import type { Keys } from '../../../engine/adapters/keys/keys.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import { serveEvm } from '../../../engine/sandbox/wire/evm.ts';
import { openEvmChain } from '../../../engine/sandbox/world/evm/chain.ts';
import { createEvmFaucet } from '../../../engine/sandbox/world/evm/faucet.ts';
import { balanceOn } from '../../stories/client/to-evm.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { died, forgive } from './daemon.ts';
import { openGethChain } from './geth-chain.ts';
import { gethVersion } from './geth.ts';

export type EvmKind = 'anvil' | 'geth';

const chainId = 137;
const blockMs = 1_000;
const coin: Address = `0x${'00'.repeat(20)}`;
/** Wei that a node's account begins with. */
const gas = 100n * 10n ** 18n;

const { version: anvilVersion } = createRequire(import.meta.url)('@foundry-rs/anvil/package.json') as {
  version: string;
};
/** What stories run over, for a person. */
export const evmNames: Readonly<Record<EvmKind, string>> = {
  anvil: `anvil ${anvilVersion}`,
  geth: `geth ${gethVersion}`,
};

/** A chain that runs, with tokens, exchange and contracts on it, and whoever gives coins and tokens of it away. */
export interface RunningEvm {
  readonly rpcUrl: string;
  give(to: Address, token: Address, amount: bigint): Promise<void>;
  /** Resolves once its blocks are of that moment or later, unix seconds: anvil's clock is set on, geth's waited for. */
  reach(moment: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A chain of a block a second with contracts, tokens and exchange, behind an RPC, and what an owner writes down of it.
 */
export type EvmChainOfStage = Awaited<ReturnType<typeof startEvmChain>>;

export async function startEvmChain(over: EvmKind = 'anvil') {
  const { htlc, coordinator, dex, tokens } = places[chainId];
  const running = over === 'anvil' ? await openAnvilChain() : await openGethChain(chainId, [htlc, coordinator]);
  const { rpcUrl } = running;
  const [pegged, ...others] = tokens.map(({ address }) => address as Address);
  if (pegged === undefined) throw new Error(`chain ${chainId} has no tokens`);

  return {
    chainId,
    rpcUrl,
    coin,
    pegged,
    htlc,
    coordinator,
    tokenOf(symbol: string): string {
      const token = tokens.find((one) => one.symbol === symbol);
      if (token === undefined) throw new Error(`chain ${chainId} has no ${symbol}`);
      return token.address;
    },
    /** The chain's part of a configuration. */
    config: {
      [chainId]: {
        rpc: [rpcUrl],
        contracts: { htlc, coordinator },
        peggedToken: pegged,
        tokens: others,
        dex: { quoter: dex.quoter, router: dex.router },
      },
    },
    give: (to: Address, token: string, amount: bigint): Promise<void> => running.give(to, token as Address, amount),
    /** Coins for the gas of the node with these keys. */
    endow: (keys: Keys): Promise<void> =>
      running.give(toHex(accountOf(keys.privateKey({ branch: 'evm-account' }))), coin, gas),
    balance: (token: string, of: string): Promise<bigint> => balanceOn(rpcUrl, chainId, token, of),
    reach: (moment: number): Promise<void> => running.reach(moment),
    stop: (): Promise<void> => running.stop(),
  };
}

async function openAnvilChain(): Promise<RunningEvm> {
  let ahead = 0;
  const chain = await openEvmChain({
    chainId,
    journal: memoryJournal(),
    now: () => Math.floor(Date.now() / 1_000) + ahead,
    genesis: () => Promise.resolve(genesis),
  });
  await chain.follow();
  const server = await serveEvm(chain, { port: 0, legacyOnly: false });
  const faucet = createEvmFaucet(chain);
  let ended = false;
  const mining = setInterval(
    () =>
      void chain.mine(1).catch((cause: unknown) => {
        if (!ended) died(chain, new Error(`anvil mines no block: ${String(cause)}`));
      }),
    blockMs,
  );
  return {
    rpcUrl: `http://127.0.0.1:${server.port}`,
    give: async (to, token, amount) => void (await faucet.give(to, [{ token, amount }])),
    async reach(moment) {
      ahead = Math.max(ahead, moment - Math.floor(Date.now() / 1_000));
    },
    async stop() {
      ended = true;
      clearInterval(mining);
      await server.stop();
      await chain.stop();
      forgive(chain);
    },
  };
}
