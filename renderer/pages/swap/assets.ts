import type { SwapPairs } from '../../../engine/contract/records/market.ts';
import { takerDirections } from '../../../engine/domain/chain.ts';
import { networkIcon, networkName } from '../../format/networks.ts';
import type { Option } from '../../parts/picker.tsx';

/** What can be given or got: sats on a network. */
export interface Asset {
  /** `arkade`, `lightning`, `bitcoin`. */
  readonly network: string;
  /** The network as quotes name it. */
  readonly chain: string;
  readonly symbol: string;
  readonly decimals: number;
}

const assets: readonly Asset[] = ['Arkade', 'Lightning', 'Bitcoin'].map((chain) => ({
  network: chain.toLowerCase(),
  chain,
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
export function waysOf({ pairs }: SwapPairs): readonly Way[] {
  return pairs.flatMap(({ source, target }) => {
    const give = assets.find(({ chain }) => chain === source);
    const get = assets.find(({ chain }) => chain === target);
    const direction = takerDirections.find((one) => one === `${give?.network}-${get?.network}`);
    return give === undefined || get === undefined || direction === undefined ? [] : [{ direction, give, get }];
  });
}

/** Networks to pick on one side; those that do not go with the other side stay, for picking one changes that side too. */
export function optionsOf(ways: readonly Way[], side: 'give' | 'get'): readonly Option<string>[] {
  const networks = [...new Set(ways.map((way) => way[side].network))];
  return networks.map((network) => ({
    value: network,
    label: assets.find((asset) => asset.network === network)?.symbol ?? '',
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
