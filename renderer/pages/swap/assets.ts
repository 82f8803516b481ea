import type { ChainConfig, SwapPairs } from '../../../engine/contract/records/market.ts';
import { takerDirections } from '../../../engine/domain/chain.ts';
import { networkIcon, networkName } from '../../format/networks.ts';
import type { Option } from '../../parts/picker.tsx';

/** What can be given or got: sats, or the token that swaps lock on an EVM chain. */
export interface Asset {
  /** `arkade`, `lightning`, `bitcoin`, `evm:137`. */
  readonly network: string;
  /** The network as quotes name it, and what of it: `btc`, or the contract of the token. */
  readonly chain: string;
  readonly token: string;
  readonly symbol: string;
  readonly decimals: number;
}

const inSats: readonly Asset[] = ['Arkade', 'Lightning', 'Bitcoin'].map((chain) => ({
  network: chain.toLowerCase(),
  chain,
  token: 'btc',
  symbol: 'sats',
  decimals: 0,
}));

/** One way that the node can take now. */
export interface Way {
  readonly direction: (typeof takerDirections)[number];
  readonly give: Asset;
  readonly get: Asset;
}

/** The directions in which this node can be the client, of those that are offered now. */
export function waysOf({ pairs }: SwapPairs, { chains }: ChainConfig): readonly Way[] {
  const onChains = chains.map(({ chain, btc_pegged_token: { address, symbol, decimals } }): Asset => ({
    network: `evm:${chain}`,
    chain,
    token: address.toLowerCase(),
    symbol,
    decimals,
  }));
  const assets = [...inSats, ...onChains];
  return pairs.flatMap(({ source, target }) => {
    const give = assets.find(({ chain }) => chain === source);
    const get = assets.find(({ chain }) => chain === target);
    const direction = takerDirections.find((one) => one === `${kindOf(give)}-${kindOf(get)}`);
    return give === undefined || get === undefined || direction === undefined ? [] : [{ direction, give, get }];
  });
}

/** What directions call a network. */
function kindOf(asset: Asset | undefined): string | undefined {
  return asset?.network.replace(/:.*/, '');
}

/** Networks to pick on one side; those that do not go with the other side stay, for picking one changes that side too. */
export function optionsOf(ways: readonly Way[], side: 'give' | 'get'): readonly Option<string>[] {
  const networks = [...new Set(ways.map((way) => way[side].network))];
  return networks.map((network) => ({
    value: network,
    label: ways.find((way) => way[side].network === network)?.[side].symbol ?? '',
    detail: networkName(network),
    icon: networkIcon(network),
  }));
}

/** The way that keeps the picked side, and of the other side what it can. */
export function wayWith(ways: readonly Way[], side: 'give' | 'get', network: string, current: Way): Way {
  const other = side === 'give' ? 'get' : 'give';
  const fitting = ways.filter((way) => way[side].network === network);
  return fitting.find((way) => way[other].network === current[other].network) ?? fitting[0] ?? current;
}

/** The same two networks the other way around; null where that cannot be swapped. */
export function turned(ways: readonly Way[], { give, get }: Way): Way | null {
  return ways.find((way) => way.give.network === get.network && way.get.network === give.network) ?? null;
}
