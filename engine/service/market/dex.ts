import type { DexCalls, DexQuoteReply } from '../../contract/records/replies.ts';
import type { DexCallsRequest, DexQuoteRequest, DexToken } from '../../contract/requests/dex.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { leastOut, mostIn } from '../../quote/exchange.ts';
import type { DexPort, DexQuote } from '../../quote/ports.ts';
import type { ServiceContext } from '../context.ts';
import { openMarkets } from './lists.ts';
import { isPegged, type EvmToken, type Market } from './market.ts';

/** An exchange is mined within a block or two. */
const settlementSeconds = 30;
/** How long clients may show a price. */
const ttlSeconds = 15;

interface Exchange {
  readonly market: Market;
  readonly dex: DexPort;
  readonly from: EvmToken;
  readonly to: EvmToken;
  readonly quote: DexQuote;
}

/** What an exchange gives now, end to end (facts/clients.md 43). One side is always the pegged token: this is no exchange for everybody's trade. */
export async function dexQuote(context: ServiceContext, request: DexQuoteRequest): Promise<DexQuoteReply | Refusal> {
  const exchange = await ask(context, request);
  if (isRefusal(exchange)) return exchange;
  const { dex, from, to, quote } = exchange;
  return {
    expected_amount_in: { raw: `${quote.amountIn}`, decimals: from.decimals, symbol: from.symbol },
    estimated_amount_out: { raw: `${quote.amountOut}`, decimals: to.decimals, symbol: to.symbol },
    estimated_settlement_seconds: settlementSeconds,
    router: dex.name,
    cache_ttl_seconds: ttlSeconds,
  };
}

/** The calls of an exchange: for a funding the coordinator is paid, for a claim who makes them. */
export async function dexCalls(
  context: ServiceContext,
  purpose: 'fund' | 'claim',
  request: DexCallsRequest,
): Promise<DexCalls | Refusal> {
  const exchange = await ask(context, request);
  if (isRefusal(exchange)) return exchange;
  const { market, dex, quote } = exchange;
  const exactIn = quote.pinned === 'in';
  const bound = exactIn ? leastOut(quote.amountOut, request.slippageBps) : mostIn(quote.amountIn, request.slippageBps);
  const calls = dex.calls(quote, bound, purpose === 'fund' ? market.coordinator : request.sender);
  return {
    chain: `${market.chainId}`,
    payload: {
      kind: 'evm',
      calls: calls.map(({ target, data, value }) => ({
        target: `0x${toHex(target)}`,
        data: `0x${toHex(data)}`,
        value: `${value}`,
      })),
    },
    expected_amount_in: `${exactIn ? quote.amountIn : bound}`,
    estimated_amount_out: `${exactIn ? bound : quote.amountOut}`,
    estimated_settlement_seconds: settlementSeconds,
    router: dex.name,
  };
}

async function ask(
  context: ServiceContext,
  { from, to, pinned, amount }: DexQuoteRequest,
): Promise<Exchange | Refusal> {
  if (from.kind === 'solana' || to.kind === 'solana')
    return refuse(
      'invalid',
      'Tokens of Solana are not exchanged here: choose a token of a chain in /evm-tokens/chains.',
    );
  if (from.chainId !== to.chainId)
    return refuse(
      'invalid',
      `from is on chain ${from.chainId} and to on chain ${to.chainId}: this node exchanges on one chain, see /evm-tokens/chains.`,
    );
  const network = evmNetwork(from.chainId ?? 0);
  const market = openMarkets(context).find((one) => one.network === network) ?? null;
  if (market === null)
    return refuse('invalid', `Chain ${from.chainId} is not swapped on here now: see /evm-tokens/chains for what is.`);
  const [sold, bought] = [addressOf(from), addressOf(to)];
  if (sameBytes(sold, bought)) return refuse('invalid', 'from and to are the same token: nothing is to be exchanged.');
  if (!isPegged(market, sold) && !isPegged(market, bought))
    return refuse(
      'invalid',
      `One of from and to must be ${market.pegged.symbol} (0x${toHex(market.pegged.address)}), through which swaps on chain ${market.chainId} go.`,
    );
  const { dex } = market;
  if (dex === null)
    return refuse('invalid', `Nothing is exchanged on chain ${market.chainId} here: swap ${market.pegged.symbol}.`);
  const [fromToken, toToken] = await Promise.all([
    context.markets.token(market, sold),
    context.markets.token(market, bought),
  ]);
  if (isRefusal(fromToken)) return fromToken;
  if (isRefusal(toToken)) return toToken;
  const quote = await dex.quote({ from: sold, to: bought, pinned, amount });
  return isRefusal(quote) ? quote : { market, dex, from: fromToken, to: toToken, quote };
}

function addressOf({ address }: DexToken): EvmAddress {
  return asEvmAddress(fromHex(address.slice(2)));
}
