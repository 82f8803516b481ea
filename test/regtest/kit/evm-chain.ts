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

const chainId = 137;
const blockMs = 1_000;
const coin: Address = `0x${'00'.repeat(20)}`;
/** Wei that a node's account begins with. */
const gas = 100n * 10n ** 18n;

const { version } = createRequire(import.meta.url)('@foundry-rs/anvil/package.json') as { version: string };
export const anvilVersion = version;

/** An anvil with contracts, tokens and exchange on it, behind an RPC, and what an owner writes down of it. */
export type EvmChainOfStage = Awaited<ReturnType<typeof startEvmChain>>;

export async function startEvmChain() {
  const chain = await openEvmChain({
    chainId,
    journal: memoryJournal(),
    now: () => Math.floor(Date.now() / 1_000),
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
  const rpcUrl = `http://127.0.0.1:${server.port}`;
  const [pegged, ...others] = places[chainId].tokens.map(({ address }) => address as Address);
  if (pegged === undefined) throw new Error(`chain ${chainId} has no tokens`);
  const { htlc, coordinator, dex } = places[chainId];

  return {
    chainId,
    rpcUrl,
    coin,
    pegged,
    htlc,
    coordinator,
    tokenOf(symbol: string): string {
      const token = places[chainId].tokens.find((one) => one.symbol === symbol);
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
    async give(to: Address, token: string, amount: bigint): Promise<void> {
      await faucet.give(to, [{ token: token as Address, amount }]);
    },
    /** Coins for the gas of the node with these keys. */
    async endow(keys: Keys): Promise<void> {
      await faucet.give(toHex(accountOf(keys.privateKey({ branch: 'evm-account' }))), [{ token: coin, amount: gas }]);
    },
    balance: (token: string, of: string): Promise<bigint> => balanceOn(rpcUrl, chainId, token, of),
    async stop(): Promise<void> {
      ended = true;
      clearInterval(mining);
      await server.stop();
      await chain.stop();
      forgive(chain);
    },
  };
}
