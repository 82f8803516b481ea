import type { Address } from 'viem';
import places from '../../resources/sandbox/evm-places.json' with { type: 'json' };
import type { PortBook } from './port-book.ts';
import { type EvmServer, serveEvm } from './wire/evm.ts';
import { anvilProgram } from './world/evm/anvil.ts';
import { type EvmChain, type EvmGenesis, openEvmChain } from './world/evm/chain.ts';
import { type EvmFaucet, createEvmFaucet } from './world/evm/faucet.ts';
import type { Journal } from './world/journal.ts';

/** Where everything stands on a chain, as `GET /sandbox` shows it. */
export interface EvmPlaces {
  readonly htlc: Address;
  readonly coordinator: Address;
  readonly permit2?: Address;
  readonly tokens: readonly { readonly symbol: string; readonly address: Address; readonly decimals: number }[];
  readonly dex?: { readonly quoter: Address; readonly router: Address; readonly wrappedNative: Address };
}

/** One chain and who plays on it. */
export interface EvmNetwork {
  readonly chain: EvmChain;
  readonly faucet: EvmFaucet;
  readonly server: EvmServer;
  readonly places: EvmPlaces;
}

export interface RunningEvm {
  /** By the chain's number; empty where there is no anvil for this machine. */
  readonly evm: ReadonlyMap<string, EvmNetwork>;
  stop(): Promise<void>;
}

const blockMs = 2_000;

interface Kind {
  readonly chainId: 137 | 31;
  readonly legacyOnly: boolean;
  readonly genesis: () => Promise<EvmGenesis>;
}

const kinds: readonly Kind[] = [
  {
    chainId: 137,
    legacyOnly: false,
    genesis: async () => (await import('../../resources/sandbox/evm-137.json', { with: { type: 'json' } })).default,
  },
  {
    chainId: 31,
    legacyOnly: true,
    genesis: async () => (await import('../../resources/sandbox/evm-31.json', { with: { type: 'json' } })).default,
  },
];

/** Both chains as the journal has them, each behind its RPC, with a block every two seconds. */
export async function openEvm(journal: Journal, now: () => number, ports: PortBook): Promise<RunningEvm> {
  const ending: (() => void | Promise<void>)[] = [];
  async function stop(): Promise<void> {
    for (const end of ending.splice(0).reverse()) await end();
  }

  async function open({ chainId, legacyOnly, genesis }: Kind): Promise<[string, EvmNetwork]> {
    const chain = await openEvmChain({ chainId, journal, now, genesis });
    ending.push(() => chain.stop());
    if (chain.record.setting('places') === undefined) chain.record.set('places', places[chainId]);
    const server = await ports.serve(
      `evm-${chainId}`,
      0,
      (port) => serveEvm(chain, { port, legacyOnly }),
      (serving) => serving.port,
    );
    ending.push(() => server.stop());
    await chain.follow();
    const mining = setInterval(() => {
      // A chain whose anvil just died comes back by itself; the next block is soon enough.
      chain.mine(1).catch((error: unknown) => process.stderr.write(`chain ${chainId}: ${String(error)}\n`));
    }, blockMs);
    ending.push(() => clearInterval(mining));
    return [
      String(chainId),
      { chain, server, faucet: createEvmFaucet(chain), places: chain.record.setting('places') as EvmPlaces },
    ];
  }

  if (anvilProgram() === null) return { evm: new Map(), stop };
  const opened = await Promise.allSettled(kinds.map(open));
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { evm: new Map(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))), stop };
}
