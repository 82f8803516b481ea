import type { ChainConfig, LightningSendQuote, NetworkFees, Quote, SwapPairs, TokenList } from '../contract/records/replies.ts';
import type { LightningSendRequest, QuoteRequest, TokenFilter, TokenRef } from '../contract/requests/quotes.ts';
import type { Chain } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { sats, type Sats } from '../domain/money.ts';
import { bitcoinOn, type TokenInfo } from '../domain/token.ts';
import { networkFees, priceFromSource, priceFromTarget, type Price } from '../quote/fees.ts';
import type { DeveloperKey } from '../store/developer-keys.ts';
import type { ServiceContext } from './context.ts';
import { canSwap, limitsOf, offered, type Offered } from './limits.ts';
import { rateOf } from './rate.ts';

type BitcoinChain = 'Arkade' | 'Lightning' | 'Bitcoin';

const sides: Record<Offered, { source: BitcoinChain; target: BitcoinChain }> = {
  'lightning-arkade': { source: 'Lightning', target: 'Arkade' },
  'arkade-lightning': { source: 'Arkade', target: 'Lightning' },
};

function directionOf(source: TokenRef, target: TokenRef): Offered | null {
  if (source.token !== 'btc' || target.token !== 'btc') return null;
  return offered.find((name) => sides[name].source === source.chain && sides[name].target === target.chain) ?? null;
}

function priced(context: ServiceContext, direction: Offered, pinned: { pinned: 'source' | 'target'; amount: bigint }, rate: { bps: number; networkFee: Sats }): Price | Refusal {
  if (pinned.amount > BigInt(Number.MAX_SAFE_INTEGER)) return refuse('invalid', `Max amount is ${limitsOf(context, direction).max} sats: ask for less.`);
  const amount = sats(pinned.amount);
  return pinned.pinned === 'source' ? priceFromSource(amount, rate) : priceFromTarget(amount, rate);
}

/** Target units for one source unit, six decimals, rounded down: a quote never promises more than it pays. */
function exchangeRate(price: Price): string {
  if (price.source === 0n) return '0';
  const millionths = (price.target * 1_000_000n) / price.source;
  return `${millionths / 1_000_000n}.${(millionths % 1_000_000n).toString().padStart(6, '0')}`;
}

export function quote(context: ServiceContext, request: QuoteRequest, developer: DeveloperKey | null): Quote | Refusal {
  const direction = directionOf(request.source, request.target);
  if (direction === null) return refuse('invalid', `There is no swap from ${request.source.token} on ${request.source.chain} to ${request.target.token} on ${request.target.chain} here: see /swap-pairs for what there is.`);
  const rate = rateOf(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const price = priced(context, direction, request.amount, rate);
  if (isRefusal(price)) return price;
  const limits = limitsOf(context, direction);
  return {
    exchange_rate: exchangeRate(price),
    network_fee: Number(price.networkFee),
    gasless_network_fee: 0,
    protocol_fee: Number(price.fee),
    protocol_fee_rate: rate.bps / 10_000,
    min_amount: Number(limits.min),
    max_amount: Number(limits.max),
    source_amount: price.source.toString(),
    target_amount: price.target.toString(),
    net_source_amount: (price.source - price.fee - price.networkFee < 0n ? 0n : price.source - price.fee - price.networkFee).toString(),
    net_target_amount: price.target.toString(),
  };
}

export async function lightningSendQuote(context: ServiceContext, request: LightningSendRequest, developer: DeveloperKey | null): Promise<LightningSendQuote | Refusal> {
  if (request.sourceChain !== 'Arkade') return refuse('unavailable', `Paying Lightning from ${request.sourceChain} needs an EVM chain, and this version of the node swaps on none yet.`);
  const missing = context.networks.closed('arkade', 'lightning', 'bitcoin');
  if (missing !== null) return missing;
  const rate = rateOf(context, 'arkade-lightning', request, developer);
  if (isRefusal(rate)) return rate;
  const price = priced(context, 'arkade-lightning', request.amount, rate);
  if (isRefusal(price)) return price;
  const limits = limitsOf(context, 'arkade-lightning');
  return {
    source_amount: price.source.toString(),
    source_amount_sats: Number(price.source),
    target_amount_sats: Number(price.target),
    protocol_fee_sats: Number(price.fee),
    network_fee_sats: Number(price.networkFee),
    protocol_fee_rate: rate.bps / 10_000,
    min_amount_sats: Number(limits.min),
    max_amount_sats: Number(limits.max),
    exchange_rate: exchangeRate(price),
  };
}

export function pairs(context: ServiceContext): SwapPairs {
  if (!canSwap(context)) return { pairs: [] };
  return {
    pairs: offered.map((direction) => {
      const limits = limitsOf(context, direction);
      return {
        ...sides[direction],
        min_sats: Number(limits.min),
        max_sats: Number(limits.max),
        fee_percentage: context.config.terms.feeBps / 10_000,
        network_fee_sats: Number(networkFees[direction]),
      };
    }),
  };
}

/** What can be swapped now; with one side given, only what fits on the other. */
export function tokens(context: ServiceContext, filter: TokenFilter): TokenList {
  if (!canSwap(context)) return { btc_tokens: [], evm_tokens: [] };
  const chains = new Set<BitcoinChain>();
  for (const direction of offered) {
    const { source, target } = sides[direction];
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

export function fees(context: ServiceContext): NetworkFees {
  if (!canSwap(context)) return { pairs: [] };
  return {
    pairs: offered.map((direction) => ({
      ...sides[direction],
      fees: direction === 'arkade-lightning' ? { source_sats: 0, target_sats: Number(networkFees[direction]) } : { source_sats: Number(networkFees[direction]), target_sats: 0 },
    })),
  };
}

/** Chains with a BTC-pegged token: none until an EVM chain is connected. */
export function chainConfig(): ChainConfig {
  return { chains: [] };
}
