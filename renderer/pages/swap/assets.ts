import type { TakerWays } from '../../../engine/contract/taker-ways.ts';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import { leastOut, mostIn } from '../../../engine/domain/slippage.ts';
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
  /**
   * How much less than expected may arrive, or how much more be given, in hundredths of a percent, of what an exchange
   * makes or takes; null for all else.
   */
  readonly less: number | null;
}

/** One pair that the node can take now. */
export interface Pair {
  readonly direction: TakerDirection;
  readonly give: Asset;
  readonly get: Asset;
}

/** The pairs that can be taken now; what is bitcoin is counted in sats. */
export function pairsOf({ ways }: TakerWays): readonly Pair[] {
  return ways.map(({ direction, source, target }) => ({ direction, give: assetOf(source), get: assetOf(target) }));
}

function assetOf({ chain, token, symbol, decimals, less_bps }: TakerWays['ways'][number]['source']): Asset {
  if (token === 'btc') return { network: chain.toLowerCase(), chain, token, symbol: 'sats', decimals: 0, less: null };
  return { network: `evm:${chain}`, chain, token, symbol, decimals, less: less_bps ?? null };
}

/** Tells it from every other asset: a network may have several. */
export function keyOfAsset({ network, token }: Asset): string {
  return token === 'btc' ? network : `${network} ${token}`;
}

/** Assets to pick on one side; those that do not go with the other side stay, for picking one changes that side too. */
export function optionsOf(pairs: readonly Pair[], side: 'give' | 'get'): readonly Option<string>[] {
  const assets = new Map(pairs.map((pair) => [keyOfAsset(pair[side]), pair[side]]));
  return [...assets].map(([value, { network, symbol }]) => ({
    value,
    label: symbol,
    detail: networkName(network),
    icon: networkIcon(network),
  }));
}

/** The same pair as it is offered now; null while it is not. */
export function pairAmong(pairs: readonly Pair[], { give, get }: Pick<Pair, 'give' | 'get'>): Pair | null {
  const [from, to] = [keyOfAsset(give), keyOfAsset(get)];
  return pairs.find((pair) => keyOfAsset(pair.give) === from && keyOfAsset(pair.get) === to) ?? null;
}

/** Bitcoin for bitcoin between two networks, where it is offered. */
export function pairBetween(pairs: readonly Pair[], from: string, to: string): Pair | undefined {
  return pairs.find(
    ({ give, get }) => give.network === from && get.network === to && give.less === null && get.less === null,
  );
}

/** The one that a form opens with: in sats where there is one, for everybody can tell how much that is. */
export function firstOf(pairs: readonly Pair[]): Pair | undefined {
  return pairs.find(({ give }) => give.decimals === 0) ?? pairs[0];
}

/** The pair that keeps the picked side, and of the other side what it can. */
export function pairWith(pairs: readonly Pair[], side: 'give' | 'get', picked: string, current: Pair): Pair {
  const other = side === 'give' ? 'get' : 'give';
  const fitting = pairs.filter((pair) => keyOfAsset(pair[side]) === picked);
  return fitting.find((pair) => keyOfAsset(pair[other]) === keyOfAsset(current[other])) ?? fitting[0] ?? current;
}

/** The same two assets the other way around; null where that cannot be swapped. */
export function turned(pairs: readonly Pair[], { give, get }: Pair): Pair | null {
  return pairAmong(pairs, { give: get, get: give });
}

/** Of so much that is expected, what arrives at least. */
export function leastOf({ less }: Asset, amount: string): string {
  return String(leastOut(BigInt(amount), less ?? 0));
}

/** Of so much that is expected, what is given at most; rounded up. */
export function mostOf({ less }: Asset, amount: string): string {
  return String(mostIn(BigInt(amount), less ?? 0));
}

/** How requests name the token of an EVM chain; that of the locks goes without saying. */
export function evmPart({ chain, token, less }: Asset): { evm_chain_id: number; token_address?: string } {
  return { evm_chain_id: Number(chain), ...(less === null ? {} : { token_address: token }) };
}
