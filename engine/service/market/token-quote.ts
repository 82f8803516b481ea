import type { Quote } from '../../contract/records/market.ts';
import type { QuoteRequest } from '../../contract/requests/quotes.ts';
import type { EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import { judgeOnward, refuseInbound } from '../../quote/bridge.ts';
import type { Rate } from '../../quote/fees.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import type { From, ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { nativeSource } from '../limits/limits.ts';
import { bridgedToken, type Market } from './market.ts';
import { priceOrder, type TokenOrder } from './worth.ts';

/** What a quote says of amounts, what it takes for itself, and what the swap would pay out or lock in sats. */
export type QuotedAmounts = Pick<
  Quote,
  'exchange_rate' | 'source_amount' | 'target_amount' | 'net_source_amount' | 'net_target_amount' | 'bridge_fee'
> & { readonly fee: Sats; readonly value: Sats };

/** The amounts of a quote with a token on one side (facts/clients.md 40, 41). */
export async function tokenQuote(
  context: ServiceContext,
  direction: Direction,
  network: EvmNetwork,
  request: From<QuoteRequest>,
  rate: Rate,
): Promise<QuotedAmounts | Refusal> {
  const market = context.markets.on(network);
  if (market === null) return refuse('unavailable', 'This chain was not read yet: try again later.');
  const toToken = direction.target === 'evm';
  const { token: id } = toToken ? request.target : request.source;
  if (!id.startsWith('0x'))
    return refuse('invalid', `There is no ${id} on chain ${market.chainId}: name a token by its address, see /tokens.`);
  const address = asEvmAddress(fromHex(id.slice(2)));
  const native = toToken ? null : nativeSource(network, address);
  if (native !== null) return native;
  const {
    amount: { pinned, amount },
    client = null,
  } = request;
  const onward = onwardOf(market, request, address);
  if (isRefusal(onward)) return onward;
  const priced = await priceOrder(
    context,
    market,
    { direction: toToken ? 'to-token' : 'from-token', pinned, amount, client, ...onward },
    rate,
  );
  if (isRefusal(priced)) return priced;
  const { price } = priced;
  const { worth } = price;
  const bare = {
    sats: worth.sats.toString(),
    token: (worth.token + (pinned === 'source' ? worth.bridgeFee : 0n)).toString(),
  };
  const net = { sats: price.sats.toString(), token: price.token.toString() };
  const [source, target] = toToken ? (['sats', 'token'] as const) : (['token', 'sats'] as const);
  return {
    exchange_rate: priced.exchangeRate,
    source_amount: bare[source],
    target_amount: bare[target],
    net_source_amount: net[source],
    net_target_amount: net[target],
    ...(worth.bridgeFee === 0n ? {} : { bridge_fee: Number(worth.bridgeFee) }),
    fee: price.fee,
    value: toToken ? satsOfUnitsDown(price.locked, market.pegged.decimals) : price.sats,
  };
}

/**
 * The token on the chain of the lock, and what a bridge behind it takes; USDC that goes on may be named as either of
 * its two.
 */
function onwardOf(
  market: Market,
  { bridgeSource, bridgeTarget }: QuoteRequest,
  token: EvmAddress,
): Pick<TokenOrder, 'token' | 'bridgeFee'> | Refusal {
  if (bridgeSource !== null) return refuseInbound(bridgeSource.chain);
  if (bridgeTarget === null) return { token };
  const onward = judgeOnward(market.bridge, bridgeTarget.chain, bridgeTarget.token);
  if (isRefusal(onward)) return onward;
  const usdc = bridgedToken(market, onward, token);
  return isRefusal(usdc) ? usdc : { token: usdc, bridgeFee: onward.fee };
}
