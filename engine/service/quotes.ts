import type { ChainConfig, NetworkFees, Quote, SwapPairs, TokenList } from '../contract/records/replies.ts';
import type { QuoteRequest, TokenFilter, TokenRef } from '../contract/requests/quotes.ts';
import type { Chain } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { sats, type Sats } from '../domain/money.ts';
import { bitcoinOn, type TokenInfo } from '../domain/token.ts';
import { priceFromSource, priceFromTarget, type Price } from '../quote/fees.ts';
import type { DeveloperKey } from '../store/developer-keys.ts';
import { withinCaps } from './caps.ts';
import type { ServiceContext } from './context.ts';
import type { BitcoinChain, Direction } from './directions/direction.ts';
import { limitsOf, roomNow, swappable } from './limits.ts';
import { rateOf } from './rate.ts';

function directionOf({ directions }: ServiceContext, source: TokenRef, target: TokenRef): Direction | null {
  if (source.token !== 'btc' || target.token !== 'btc') return null;
  return directions.all.find((one) => one.source === source.chain && one.target === target.chain) ?? null;
}

function priced(
  context: ServiceContext,
  direction: Direction,
  pinned: { pinned: 'source' | 'target'; amount: bigint },
  rate: { bps: number; networkFee: Sats },
): Price | Refusal {
  if (pinned.amount > BigInt(Number.MAX_SAFE_INTEGER))
    return refuse('invalid', `Max amount is ${limitsOf(context, direction).max} sats: ask for less.`);
  const amount = sats(pinned.amount);
  return pinned.pinned === 'source' ? priceFromSource(amount, rate) : priceFromTarget(amount, rate);
}

/** The bare market rate, fees not in it, as a decimal without trailing zeros: one between two networks of bitcoin. */
export const rateBetweenBitcoins = '1';

/**
 * What a swap costs (facts/clients.md 32): `source_amount` and `target_amount` are bare, the pinned amount and its value on
 * the other side without fees; the `net_` amounts are what the create moves. Where that would be a 503, so is this.
 */
export function quote(context: ServiceContext, request: QuoteRequest, developer: DeveloperKey | null): Quote | Refusal {
  const direction = directionOf(context, request.source, request.target);
  if (direction === null)
    return refuse(
      'invalid',
      `There is no swap from ${request.source.token} on ${request.source.chain} to ${request.target.token} on ${request.target.chain} here: see /swap-pairs for what there is.`,
    );
  const limits = roomNow(context, direction);
  if (isRefusal(limits)) return limits;
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const price = priced(context, direction, request.amount, rate);
  if (isRefusal(price)) return price;
  const full = withinCaps(context, direction, price.target);
  if (full?.refusal === 'unavailable') return full;
  const bare = request.amount.amount.toString();
  return {
    exchange_rate: rateBetweenBitcoins,
    network_fee: Number(price.networkFee),
    gasless_network_fee: 0,
    protocol_fee: Number(price.fee),
    protocol_fee_rate: rate.bps / 10_000,
    min_amount: Number(limits.min),
    max_amount: Number(limits.max),
    source_amount: bare,
    target_amount: bare,
    net_source_amount: price.source.toString(),
    net_target_amount: price.target.toString(),
  };
}

/** What can be swapped now. Clients add `network_fee_sats` to the two parts of `/network-fees`: a cost is in one of them. */
export function pairs(context: ServiceContext): SwapPairs {
  return {
    pairs: swappable(context).map(({ direction, limits }) => ({
      source: direction.source,
      target: direction.target,
      min_sats: Number(limits.min),
      max_sats: Number(limits.max),
      fee_percentage: context.config.terms.feeBps / 10_000,
      network_fee_sats: Number(direction.networkFee),
    })),
  };
}

/** What can be swapped now; with one side given, only what fits on the other. */
export function tokens(context: ServiceContext, filter: TokenFilter): TokenList {
  const chains = new Set<BitcoinChain>();
  for (const { direction } of swappable(context)) {
    const { source, target } = direction;
    if (filter.source !== null && !names(filter.source, source)) continue;
    if (filter.target !== null && !names(filter.target, target)) continue;
    if (filter.source === null) chains.add(source);
    if (filter.target === null) chains.add(target);
    if (filter.source !== null && filter.target !== null) chains.add(target);
  }
  return { btc_tokens: [...chains].map((chain): TokenInfo => bitcoinOn(chain)), evm_tokens: [] };
}

function names(ref: TokenRef, chain: Chain): boolean {
  return ref.token === 'btc' && ref.chain === chain;
}

/** The same pairs: nothing of ours goes on a chain for them, and the flat part is in `/swap-pairs`. */
export function fees(context: ServiceContext): NetworkFees {
  return {
    pairs: swappable(context).map(({ direction }) => ({
      source: direction.source,
      target: direction.target,
      fees: { source_sats: 0, target_sats: 0 },
    })),
  };
}

/** Chains with a BTC-pegged token: none until an EVM chain is connected. */
export function chainConfig(): ChainConfig {
  return { chains: [] };
}
