import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sats, tokenAmount, type Sats, type TokenAmount } from '../../domain/money.ts';
import { leastOut, mostIn } from '../../domain/slippage.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { Rate } from '../../quote/fees.ts';
import type { DexQuote } from '../../quote/ports.ts';
import {
  exchangeRate,
  priceFromToken,
  priceToToken,
  rateBetweenBitcoins,
  satsOfUnitsDown,
  unitsOfSats,
  type PinnedSide,
  type TokenPrice,
  type Worth,
} from '../../quote/token-price.ts';
import type { ServiceContext } from '../context.ts';
import { isPegged, type EvmToken, type Market } from './market.ts';

/**
 * What a client wants to swap between bitcoin and a token of a chain; the amount is in the units of the pinned side.
 */
export interface TokenOrder {
  readonly direction: 'to-token' | 'from-token';
  readonly token: EvmAddress;
  readonly pinned: PinnedSide;
  readonly amount: bigint;
  /** What a bridge behind the swap takes, in the smallest units of the token. */
  readonly bridgeFee?: TokenAmount;
  /** Whose places it takes; null for whoever is not counted. */
  readonly client?: string | null;
}

export interface PricedOrder {
  readonly token: EvmToken;
  readonly price: TokenPrice;
  /** Null where nothing is exchanged. */
  readonly quote: DexQuote | null;
  readonly exchangeRate: string;
}

/** More than there is: no amount of bitcoin beyond it means anything. */
const supply = 21n * 10n ** 14n;

function satsWithin(amount: bigint): Sats | Refusal {
  return amount > supply
    ? refuse('invalid', 'The amount is more than all bitcoin that can exist: ask for less.')
    : sats(amount);
}

/** What an order costs and moves now: the one place that quotes and creates price a token in (facts/clients.md 40). */
export async function priceOrder(
  context: Pick<ServiceContext, 'markets'>,
  market: Market,
  order: TokenOrder,
  rate: Rate,
): Promise<PricedOrder | Refusal> {
  const alone = notExchanged(market, order.token);
  if (alone !== null) return alone;
  const token = await context.markets.token(market, order.token, order.client);
  if (isRefusal(token)) return token;
  const valued = await worthOf(market, order);
  if (isRefusal(valued)) return valued;
  const price = order.direction === 'to-token' ? priceToToken : priceFromToken;
  return {
    token,
    quote: valued.quote,
    price: price(order.pinned, valued.worth, market.pegged.decimals, rate),
    exchangeRate: rateOf(valued, token.decimals),
  };
}

type Valued = { readonly worth: Worth; readonly quote: DexQuote | null };

/** Where nothing is exchanged, an amount that is cut off to whole sats has no other rate for it. */
export function rateOf({ worth, quote }: Valued, decimals: number): string {
  return quote === null ? rateBetweenBitcoins : exchangeRate(worth, decimals);
}

/** What an order is worth before any fee. */
export async function worthOf(market: Market, order: TokenOrder): Promise<Valued | Refusal> {
  return isPegged(market, order.token) ? pegged(market, order) : exchanged(market, order);
}

/**
 * What an exchange into a lock is counted as: its client has nothing to bring later, so the price may move by the
 * owner's slippage until it is made. What the exchange does not take of it returns to the client.
 */
export function tolerant<Q extends Pick<DexQuote, 'pinned' | 'amountIn' | 'amountOut'>>(
  { slippageBps }: Pick<Market, 'slippageBps'>,
  quote: Q,
): Q {
  return quote.pinned === 'in'
    ? { ...quote, amountOut: leastOut(quote.amountOut, slippageBps) }
    : { ...quote, amountIn: mostIn(quote.amountIn, slippageBps) };
}

/** Whether the pinned amount is in sats: the source of a swap to a token, the target of one from it. */
function pinsSats({ direction, pinned }: TokenOrder): boolean {
  return (direction === 'to-token') === (pinned === 'source');
}

function pegged({ pegged: { decimals } }: Market, order: TokenOrder): Valued | Refusal {
  const bridgeFee = tokenAmount(0);
  if (pinsSats(order)) {
    const amount = satsWithin(order.amount);
    if (isRefusal(amount)) return amount;
    const units = unitsOfSats(amount, decimals);
    return { worth: { sats: amount, token: units, pegged: units, bridgeFee }, quote: null };
  }
  const amount = satsWithin(satsOfUnitsDown(order.amount, decimals));
  if (isRefusal(amount)) return amount;
  const units = tokenAmount(order.amount);
  return { worth: { sats: amount, token: units, pegged: units, bridgeFee }, quote: null };
}

/** Before anything is asked of its contract: whether a token can be swapped where nothing is exchanged. */
export function notExchanged(market: Market, token: EvmAddress): Refusal | null {
  return market.dex !== null || isPegged(market, token) ? null : peggedAlone(market);
}

function peggedAlone({ pegged: { symbol, address }, chainId }: Market): Refusal {
  return refuse(
    'invalid',
    `Only ${symbol} (${checksummed(address)}) can be swapped on chain ${chainId} here, for nothing is exchanged ` +
      'there: choose it.',
  );
}

async function exchanged(market: Market, order: TokenOrder): Promise<Valued | Refusal> {
  const { dex, pegged: through } = market;
  if (dex === null) return peggedAlone(market);
  const bridgeFee = order.bridgeFee ?? tokenAmount(0);
  const pair =
    order.direction === 'to-token'
      ? { from: through.address, to: order.token }
      : { from: order.token, to: through.address };
  const pinned = order.pinned === 'source' ? 'in' : 'out';
  let amount = order.amount + (order.direction === 'to-token' && pinned === 'out' ? bridgeFee : 0n);
  if (pinsSats(order)) {
    const inSats = satsWithin(order.amount);
    if (isRefusal(inSats)) return inSats;
    amount = unitsOfSats(inSats, through.decimals);
  }
  const by = { is: 'client', client: order.client ?? null } as const;
  const bare = await dex.quote({ ...pair, pinned, amount }, { by });
  if (isRefusal(bare)) return bare;
  const quote = order.direction === 'to-token' ? bare : tolerant(market, bare);
  const [units, other] =
    order.direction === 'to-token' ? [quote.amountIn, quote.amountOut] : [quote.amountOut, quote.amountIn];
  const inSats = pinsSats(order) ? satsWithin(order.amount) : satsWithin(satsOfUnitsDown(units, through.decimals));
  if (isRefusal(inSats)) return inSats;
  if (order.direction === 'to-token' && other <= bridgeFee)
    return refuse('invalid', 'The bridge takes more than the swap would bring: ask for more.');
  const token = tokenAmount(order.direction === 'to-token' ? other - bridgeFee : other);
  return { worth: { sats: inSats, token, pegged: tokenAmount(units), bridgeFee }, quote };
}
