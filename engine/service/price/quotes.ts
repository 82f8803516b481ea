import type { NetworkFees, Quote, SwapPairs } from '../../contract/records/market.ts';
import type { QuoteRequest, TokenRef } from '../../contract/requests/quotes.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sats } from '../../domain/money.ts';
import { termsFor } from '../../domain/terms.ts';
import { priceFromPinned, type Price, type Rate } from '../../quote/fees.ts';
import { rateBetweenBitcoins } from '../../quote/token-price.ts';
import { networkFeeOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import { withinCaps } from '../limits/caps.ts';
import type { From, ServiceContext } from '../context.ts';
import { chainsOf, onChain, type Direction, type Side } from '../directions/direction.ts';
import { shownConfirmations } from '../limits/funding-confirmations.ts';
import { limitsOf, roomNow, swappable } from '../limits/limits.ts';
import { costsOf } from '../market/costs.ts';
import { tokenQuote, type QuotedAmounts } from '../market/token-quote.ts';
import { bpsToTell, rateToTell } from './rate.ts';
import { unsupportedChain } from '../limits/unsupported-chain.ts';

function directionOf({ directions }: ServiceContext, source: TokenRef, target: TokenRef): Direction | null {
  const side = ({ chain, token }: TokenRef): Side | null =>
    chain === 'Arkade' || chain === 'Lightning' || chain === 'Bitcoin' ? (token === 'btc' ? chain : null) : 'evm';
  const [from, to] = [side(source), side(target)];
  const all: readonly Direction[] = directions.all;
  const direction = all.find((one) => one.source === from && one.target === to);
  if (direction === undefined) return null;
  if (from === 'evm') return onChain(direction, evmNetwork(source.chain));
  return to === 'evm' ? onChain(direction, evmNetwork(target.chain)) : direction;
}

function priced(
  context: ServiceContext,
  direction: Direction,
  pinned: { pinned: 'source' | 'target'; amount: bigint },
  rate: Rate,
): Price | Refusal {
  if (pinned.amount > BigInt(Number.MAX_SAFE_INTEGER))
    return refuse('invalid', `Max amount is ${limitsOf(context, direction).max} sats: ask for less.`);
  return priceFromPinned({ ...pinned, amount: sats(pinned.amount) }, rate);
}

/**
 * What a swap costs (facts/clients.md 32): `source_amount` and `target_amount` are bare, the pinned amount and its
 * value on the other side without fees; the `net_` amounts are what the create moves. Where that would be a 503, so is
 * this.
 */
export async function quote(
  context: ServiceContext,
  request: From<QuoteRequest>,
  developer: DeveloperKey | null,
): Promise<Quote | Refusal> {
  const direction = directionOf(context, request.source, request.target);
  if (direction === null)
    return refuse(
      'invalid',
      `There is no swap from ${request.source.token} on ${request.source.chain} to ${request.target.token} on ` +
        `${request.target.chain} here: see /swap-pairs for what there is.`,
    );
  const unsupported = direction.evm === null ? null : unsupportedChain(context, direction.evm);
  if (unsupported !== null) return unsupported;
  const limits = roomNow(context, direction);
  if (isRefusal(limits)) return limits;
  const rate = rateToTell(context, direction, request, developer);
  if (isRefusal(rate)) return rate;
  const costs = costsOf(context, direction);
  if (isRefusal(costs)) return costs;
  const moved =
    direction.evm === null
      ? bitcoinQuote(context, direction, request, rate)
      : await tokenQuote(context, direction, direction.evm, request, rate);
  if (isRefusal(moved)) return moved;
  const full = withinCaps(context, direction, moved.value);
  if (full?.refusal === 'unavailable') return full;
  const { value: _value, fee, ...amounts } = moved;
  return {
    // The owner's flat fee stands where clients that compose a quote find it (facts/clients.md 39).
    network_fee: Number(networkFeeOf(costs, false) + rate.flat),
    gasless_network_fee: Number(costs.relay),
    protocol_fee: Number(fee - rate.flat),
    protocol_fee_rate: rate.bps / 10_000,
    min_amount: Number(limits.min),
    max_amount: Number(limits.max),
    ...amounts,
  };
}

function bitcoinQuote(
  context: ServiceContext,
  direction: Direction,
  { amount }: QuoteRequest,
  rate: Rate,
): QuotedAmounts | Refusal {
  const price = priced(context, direction, amount, rate);
  if (isRefusal(price)) return price;
  const bare = amount.amount.toString();
  return {
    exchange_rate: rateBetweenBitcoins,
    source_amount: bare,
    target_amount: bare,
    net_source_amount: price.source.toString(),
    net_target_amount: price.target.toString(),
    fee: price.fee,
    value: price.target,
  };
}

/**
 * What can be swapped now. Clients add `network_fee_sats` to the two parts of `/network-fees`: a cost is in one of
 * them.
 */
export function pairs(context: ServiceContext): SwapPairs {
  return {
    pairs: swappable(context).map(({ direction, limits, costs }) => ({
      ...chainsOf(direction),
      min_sats: Number(limits.min),
      max_sats: Number(limits.max),
      fee_percentage: bpsToTell(context, direction) / 10_000,
      network_fee_sats: Number(costs.flat) + termsFor(context.config.terms, direction.name).flatSats,
      ...(direction.source === 'Bitcoin' ? { btc_funding_confirmations: shownConfirmations(context.config) } : {}),
    })),
  };
}

/** The same pairs: what is spent on each of the two networks, relays included; the flat part is in `/swap-pairs`. */
export function fees(context: ServiceContext): NetworkFees {
  return {
    pairs: swappable(context).map(({ direction, costs }) => ({
      ...chainsOf(direction),
      fees: { source_sats: Number(costs.source), target_sats: Number(costs.target) },
    })),
  };
}
