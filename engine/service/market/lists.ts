import type { ChainConfig, EvmTokens, EvmTokenChains, TokenList } from '../../contract/records/market.ts';
import type { TokenFilter, TokenRef } from '../../contract/requests/quotes.ts';
import type { Chain } from '../../domain/chain.ts';
import { evmChainNames } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn, type TokenInfo } from '../../domain/token.ts';
import { checksummed, sameName } from '../../domain/evm-address.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction, Side } from '../directions/direction.ts';
import { eachPair, swappable } from '../limits/limits.ts';
import { tokenInfoOf, type Market } from './market.ts';

/** The tokens that a side of a direction may be of; the native coin only where it is received. */
function tokensOf({ markets }: ServiceContext, { evm }: Direction, side: Side, as: 'source' | 'target'): TokenInfo[] {
  if (side !== 'evm') return [bitcoinOn(side)];
  const market = evm === null ? null : markets.on(evm);
  if (market === null || (market.native && as === 'source')) return [];
  return [market.pegged, ...market.tokens].map((token) => tokenInfoOf(market, token));
}

function names(ref: TokenRef, token: TokenInfo): boolean {
  return ref.chain === token.chain && sameName(ref.token, token.token_id);
}

/** What can be swapped now; with one side given, only what fits on the other (facts/clients.md 35). */
export function tokens(context: ServiceContext, { source, target }: TokenFilter): TokenList {
  const listing = new Map<string, TokenInfo>();
  for (const { direction } of swappable(context)) {
    const from = tokensOf(context, direction, direction.source, 'source');
    const to = tokensOf(context, direction, direction.target, 'target');
    if (source !== null && !from.some((token) => names(source, token))) continue;
    const fitting = target === null ? to : to.filter((token) => names(target, token));
    if (target !== null && fitting.length === 0) continue;
    const listed = source === null ? (target === null ? [...from, ...to] : from) : fitting;
    for (const token of listed) listing.set(`${token.chain}/${token.token_id}`, token);
  }
  const all = [...listing.values()];
  const isBitcoin = (token: TokenInfo) => token.token_id === 'btc';
  return { btc_tokens: all.filter(isBitcoin), evm_tokens: all.filter((token) => !isBitcoin(token)) };
}

/** The chains that some pair names now. */
export function openMarkets(context: ServiceContext): readonly Market[] {
  const open = new Set(swappable(context).map(({ direction }) => direction.evm));
  return context.markets.all().filter(({ network }) => open.has(network));
}

/**
 * The BTC-pegged token of each chain of the node (facts/clients.md 42): one bitcoin for one. Here alone addresses are
 * in small letters, as published clients compare them. Chains stay where nothing can be swapped for a moment: clients
 * take a chain that is not listed for one behind a bridge.
 */
export function chainConfig(context: ServiceContext): ChainConfig {
  const ofPairs = new Set(eachPair(context).map(({ evm }) => evm));
  const offered = context.forOwner || context.live();
  const markets = offered ? context.markets.all().filter(({ network }) => ofPairs.has(network)) : [];
  return {
    chains: markets.map(({ chainId, pegged }) => ({
      chain: `${chainId}` as Chain,
      btc_pegged_token: { address: `0x${toHex(pegged.address)}`, decimals: pegged.decimals, symbol: pegged.symbol },
      btc_peg_rate: '1',
    })),
  };
}

export function evmTokens(context: ServiceContext, chainId: number | null): EvmTokens {
  const shown = openMarkets(context).filter((market) => chainId === null || market.chainId === chainId);
  const listed = shown.map((market) => {
    const all = [market.pegged, ...market.tokens];
    return [
      market.chainId,
      all.map(({ address, symbol, name, decimals }) => ({ address: checksummed(address), symbol, name, decimals })),
    ] as const;
  });
  return { chains: Object.fromEntries(listed) };
}

export function evmTokenChains(context: ServiceContext): EvmTokenChains {
  return {
    chains: openMarkets(context).map(({ chainId }) => ({
      chain_id: chainId,
      name: evmChainNames[chainId] ?? `Chain ${chainId}`,
    })),
  };
}
