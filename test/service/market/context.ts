import { bytesToHex } from 'viem';
import places from '../../../resources/sandbox/evm-places.json' with { type: 'json' };
import { withSandboxChains } from '../../../engine/config/chains.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { decodeInvoice } from '../../../engine/adapters/lnd/decode.ts';
import { policyOf } from '../../../engine/config/policy.ts';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import type { Quote } from '../../../engine/contract/records/market.ts';
import type { TokenRef } from '../../../engine/contract/requests/quotes.ts';
import type { Chain, EvmNetwork } from '../../../engine/domain/chain.ts';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { sats, tokenAmount } from '../../../engine/domain/money.ts';
import type { BridgePort } from '../../../engine/quote/ports.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import type { Direction } from '../../../engine/service/directions/direction.ts';
import { directions } from '../../../engine/service/directions/directions.ts';
import { createMarkets } from '../../../engine/service/market/markets.ts';
import { quote } from '../../../engine/service/price/quotes.ts';
import { coordinatorOfChain, openMarket, wbtc, type Market as Pools } from '../../adapters/dex/market.ts';
import { deposit } from '../../support/bitcoin-wallet.ts';
import { seedOf, testConfig } from '../../support/node.ts';
import { openScene, type Scene } from '../../support/scene.ts';

export const network: EvmNetwork = 'evm:137';
/** Its own coin is bitcoin. */
export const nativeNetwork: EvmNetwork = 'evm:31';
export const bitcoinAlone = directions.all.filter((one: Direction) => one.source !== 'evm' && one.target !== 'evm');

/** A node in this process, and real pools on a chain beside it. */
export interface OpenPools {
  readonly scene: Scene;
  readonly pools: Pools;
  /** The node's own context, with a chain whose locks hold this token, and one whose coin is bitcoin. */
  contextWith(pegged: EvmAddress, listed: readonly EvmAddress[], bridge?: BridgePort | null): Promise<ServiceContext>;
  stop(): Promise<void>;
}

/** With coins on the Bitcoin chain where that is asked for. */
export async function openPools(coins = 0): Promise<OpenPools> {
  const wallet = coins === 0 ? {} : ({ bitcoinWallet: true } as const);
  const [scene, pools] = await Promise.all([openScene(wallet, 'usual'), openMarket()]);
  if (coins > 0) await deposit(scene, coins);
  return {
    scene,
    pools,
    async contextWith(pegged, listed, bridge = null) {
      const { runtime, networks } = scene.node;
      const key = new Uint8Array(32).fill(7);
      const port = connectEvm({ chainId: 137, rpc: [pools.url], key, boundTo: null, wall: pools.now });
      // A chain whose coin is bitcoin asks little of it.
      const native = { ...port, gasFees: () => Promise.resolve({ is: 'legacy', price: 60_000_000n } as const) };
      const time = { mtp: scene.world.now(), height: 1_000 };
      const withChains = {
        ...runtime,
        ports: { ...runtime.ports, [network]: port, [nativeNetwork]: native },
        clock: { ...runtime.clock, now: () => ({ ...runtime.clock.now(), [network]: time, [nativeNetwork]: time }) },
      };
      const set = {
        htlc: coordinatorOfChain,
        confirmations: 1,
        coordinator: coordinatorOfChain,
        tokens: listed,
        slippageBps: 50,
        bridge,
      };
      const markets = createMarkets({
        runtime: withChains,
        settings: () =>
          new Map([
            [network, { ...set, pegged, dex: pools.dex([wbtc]) }],
            [nativeNetwork, { ...set, pegged: null, tokens: [], dex: null, bridge: null }],
          ]),
        everyMs: 60_000,
      });
      await markets.read();
      const rpcs = { rpcUrl: 'http://127.0.0.1:1', secondRpcUrl: 'http://127.0.0.1:2' };
      return {
        ...(scene.node as unknown as ServiceContext),
        live: () => true,
        runtime: withChains,
        config: withSandboxChains(testConfig(), {
          '137': { ...rpcs, ...places[137] },
          '31': { ...rpcs, ...places[31] },
        }),
        markets,
        directions,
        policy: policyOf(testConfig()),
        signer: createKeys(seedOf(1), 'regtest').signer,
        decodeInvoice,
        highWater: { reach: () => undefined, used: () => undefined } as unknown as ServiceContext['highWater'],
        networks: {
          ...networks,
          closed: () => null,
          evmFree: () => sats(50_000_000),
        },
        resolver: {
          check: () => Promise.resolve(null),
          resolve: (_, amount) => Promise.resolve(scene.world.invoice(amount).bolt11),
        },
      };
    },
    async stop() {
      await pools.stop();
      await scene.end();
    },
  };
}

export function given<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

export const hex = (address: EvmAddress) => bytesToHex(address);
export const zero = asEvmAddress(new Uint8Array(20));
export const btcOn = (chain: Chain): TokenRef => ({ chain, token: 'btc' });
export const tokenOn = (address: EvmAddress, chain: Chain = '137'): TokenRef => ({ chain, token: hex(address) });

/** What a quote says, in the terms of what clients compose. */
export function shown(answer: Quote) {
  return {
    exchangeRate: answer.exchange_rate,
    fee: BigInt(answer.protocol_fee),
    networkFee: BigInt(answer.network_fee + answer.gasless_network_fee),
    source: answer.source_amount,
    target: answer.target_amount,
    netSource: answer.net_source_amount,
    netTarget: answer.net_target_amount,
  };
}

type BitcoinOn = 'Arkade' | 'Lightning' | 'Bitcoin';

/** What is swapped, as a client has chosen it. */
export interface Choice {
  readonly direction: 'to-token' | 'from-token';
  readonly token: EvmAddress;
  readonly chain?: Chain;
  /** Where its bitcoin is: on Arkade towards a token, over Lightning from one, when left out. */
  readonly bitcoinOn?: BitcoinOn;
  readonly pinned: 'source' | 'target';
  /** Of the pinned side, in its smallest units. */
  readonly amount: bigint;
  /** Where USDC goes on to. */
  readonly onward?: { readonly name: string; readonly chainId: number; readonly usdc: string };
}

export function bitcoinOf({ direction, bitcoinOn }: Choice): BitcoinOn {
  return bitcoinOn ?? (direction === 'to-token' ? 'Arkade' : 'Lightning');
}

export async function quoted(context: ServiceContext, choice: Choice): Promise<Quote | Refusal> {
  const { direction, token, chain = '137', pinned, amount, onward } = choice;
  const bitcoin = btcOn(bitcoinOf(choice));
  const [source, target] =
    direction === 'to-token' ? [bitcoin, tokenOn(token, chain)] : [tokenOn(token, chain), bitcoin];
  return quote(
    context,
    {
      source,
      target,
      amount: { pinned, amount: tokenAmount(amount) },
      bridgeSource: null,
      bridgeTarget: onward === undefined ? null : { chain: onward.name, token: null, recipientSetup: false },
      referralCode: null,
      extraFeesBps: 0,
    },
    null,
  );
}
