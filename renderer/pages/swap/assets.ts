import type { TakerWays } from '../../../engine/contract/taker-ways.ts';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
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

/** One way that the node can take now. */
export interface Way {
  readonly direction: TakerDirection;
  readonly give: Asset;
  readonly get: Asset;
}

/** The ways that can be taken now; what is bitcoin is counted in sats. */
export function waysOf({ ways }: TakerWays): readonly Way[] {
  return ways.map(({ direction, source, target }) => ({ direction, give: assetOf(source), get: assetOf(target) }));
}

function assetOf({ chain, token, symbol, decimals }: TakerWays['ways'][number]['source']): Asset {
  if (token === 'btc') return { network: chain.toLowerCase(), chain, token, symbol: 'sats', decimals: 0 };
  return { network: `evm:${chain}`, chain, token, symbol, decimals };
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
