import type { DexCalls, DexQuoteReply } from '../../contract/records/market.ts';
import type { DexCallsRequest, DexQuoteRequest, DexToken } from '../../contract/requests/dex.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { bridgeChainOf } from '../../legs/evm/bridge.ts';
import type { Call } from '../../legs/evm/contracts.ts';
import { bridgeTerms, judgeOnward, judgeRecipient, onwardCall, type Onward } from '../../quote/bridge.ts';
import { leastOut, mostIn } from '../../domain/slippage.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { DexPort, DexQuote } from '../../quote/ports.ts';
import type { From, ServiceContext } from '../context.ts';
import { unsupportedChain } from '../limits/unsupported-chain.ts';
import { bridgedToken, isPegged, type EvmToken, type Market } from './market.ts';
import { tolerant } from './worth.ts';

/** An exchange is mined within a block or two. */
const settlementSeconds = 30;
/** A burn is final, and its mint brought there, within some twenty minutes. */
const bridgeSeconds = 1_200;
/** How long clients may show a price. */
const ttlSeconds = 15;

interface Exchange {
  readonly market: Market;
  readonly dex: DexPort;
  readonly from: EvmToken;
  readonly to: EvmToken;
  readonly quote: DexQuote;
  /** Where what comes out goes on to. */
  readonly onward: Onward | null;
}

/**
 * What an exchange gives now, end to end (facts/clients.md 43); into the pegged token with the slippage that a swap
 * from the other one counts with. One side is always the pegged token: this is no exchange for everybody's trade.
 */
export async function dexQuote(
  context: ServiceContext,
  request: From<DexQuoteRequest>,
): Promise<DexQuoteReply | Refusal> {
  const exchange = await readExchange(context, request);
  if (isRefusal(exchange)) return exchange;
  const { market, dex, from, to, quote, onward } = exchange;
  const { amountIn, amountOut } = isPegged(market, to.address) ? tolerant(market, quote) : quote;
  const out = amountOut - (onward?.fee ?? 0n);
  return {
    expected_amount_in: { raw: `${amountIn}`, decimals: from.decimals, symbol: from.symbol },
    estimated_amount_out: { raw: `${out}`, decimals: to.decimals, symbol: to.symbol },
    estimated_settlement_seconds: settlementOf(onward),
    router: dex.name,
    cache_ttl_seconds: ttlSeconds,
    ...(onward === null ? {} : bridgePart(market, onward)),
  };
}

function bridgePart({ bridge }: Market, { rate, fee }: Onward): Pick<DexQuoteReply, 'bridge_fee' | 'bridge_rate'> {
  return {
    bridge_fee: `${fee}`,
    bridge_rate: {
      router: 'cctp',
      ...(bridge === null
        ? {}
        : { fee_token: { kind: 'evm' as const, chain_id: bridge.chainId, address: checksummed(bridge.usdc) } }),
      proportional_fee_millionths: `${rate.proportionalMillionths}`,
      flat: `${rate.flat}`,
      flat_with_setup: `${rate.flatWithSetup}`,
    },
  };
}

/**
 * The calls of an exchange: for a funding the coordinator is paid, for a claim who makes them, and the bridge where it
 * goes on.
 */
export async function dexCalls(
  context: ServiceContext,
  purpose: 'fund' | 'claim',
  request: From<DexCallsRequest>,
): Promise<DexCalls | Refusal> {
  const exchange = await readExchange(context, request);
  if (isRefusal(exchange)) return exchange;
  const { market, dex, quote, onward } = exchange;
  const exactIn = quote.pinned === 'in';
  const bound = exactIn ? leastOut(quote.amountOut, request.slippageBps) : mostIn(quote.amountIn, request.slippageBps);
  const last = onward === null ? null : lastCall(market, onward, request);
  if (isRefusal(last)) return last;
  const payee = purpose === 'fund' ? market.coordinator : request.sender;
  const calls = [...dex.calls(quote, bound, last?.payee ?? payee), ...(last === null ? [] : [last.call])];
  const out = (exactIn ? bound : quote.amountOut) - (onward?.fee ?? 0n);
  if (out <= 0n) return bridgeEatsAll();
  return {
    chain: `${market.chainId}`,
    payload: {
      kind: 'evm',
      calls: calls.map(({ target, data, value }) => ({
        target: checksummed(target),
        data: `0x${toHex(data)}`,
        value: `${value}`,
      })),
    },
    expected_amount_in: `${exactIn ? quote.amountIn : bound}`,
    estimated_amount_out: `${out}`,
    estimated_settlement_seconds: settlementOf(onward),
    router: dex.name,
  };
}

function lastCall(
  { bridge }: Market,
  onward: Onward,
  { bridgeRecipient }: DexCallsRequest,
): { readonly call: Call; readonly payee: EvmAddress } | Refusal {
  if (bridge === null) return refuse('unavailable', 'USDC is not sent on from this chain now: try again later.');
  if (bridgeRecipient === null)
    return refuse('invalid', 'bridge_recipient is required where the tokens go on to another chain: send its address.');
  const recipient = judgeRecipient(onward, bridgeRecipient.address);
  return isRefusal(recipient)
    ? recipient
    : { call: onwardCall(bridge, bridgeTerms(onward, recipient)), payee: bridge.adapter };
}

/**
 * An exchange that does not answer is no fault of this node. Who claims an open swap asks for its calls too: nothing
 * that stops new swaps stops these.
 */
async function readExchange(context: ServiceContext, request: From<DexQuoteRequest>): Promise<Exchange | Refusal> {
  try {
    return await ask(context, request);
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return refuse('upstream', 'The exchange did not answer: try again in a minute.');
  }
}

async function ask(
  context: ServiceContext,
  { from, to, pinned, amount, client = null }: From<DexQuoteRequest>,
): Promise<Exchange | Refusal> {
  if (from.kind === 'solana' || to.kind === 'solana')
    return refuse(
      'invalid',
      'Tokens of Solana are not exchanged here: choose a token of a chain in /evm-tokens/chains.',
    );
  const network = evmNetwork(from.chainId ?? 0);
  const unsupported = unsupportedChain(context, network);
  if (unsupported !== null) return unsupported;
  const market = context.markets.on(network);
  if (market === null)
    return refuse('unavailable', `Chain ${from.chainId} does not answer this node now: try again later.`);
  const onward = to.chainId === from.chainId ? null : onwardTo(market, to);
  if (isRefusal(onward)) return onward;
  const sold = addressOf(from);
  const bought = onward === null ? addressOf(to) : bridgedToken(market, onward, addressOf(to));
  if (isRefusal(bought)) return bought;
  if (sameBytes(sold, bought)) return refuse('invalid', 'from and to are the same token: nothing is to be exchanged.');
  if (!isPegged(market, sold) && !isPegged(market, bought))
    return refuse(
      'invalid',
      `One of from and to must be ${market.pegged.symbol} (${checksummed(market.pegged.address)}), through which ` +
        `swaps on chain ${market.chainId} go.`,
    );
  const { dex } = market;
  if (dex === null)
    return refuse('invalid', `Nothing is exchanged on chain ${market.chainId} here: swap ${market.pegged.symbol}.`);
  const [fromToken, toToken] = await Promise.all([
    context.markets.token(market, sold, client),
    context.markets.token(market, bought, client),
  ]);
  if (isRefusal(fromToken)) return fromToken;
  if (isRefusal(toToken)) return toToken;
  const fee = onward?.fee ?? 0n;
  const query = { from: sold, to: bought, pinned, amount: pinned === 'out' ? amount + fee : amount };
  const quote = await dex.quote(query, { by: { is: 'client', client } });
  if (isRefusal(quote)) return quote;
  return quote.amountOut <= fee ? bridgeEatsAll() : { market, dex, from: fromToken, to: toToken, quote, onward };
}

function onwardTo({ bridge, chainId }: Market, to: DexToken): Onward | Refusal {
  const chain = bridgeChainOf(to.chainId ?? 0);
  return chain === null || bridge === null
    ? refuse(
        'invalid',
        `from is on chain ${chainId} and to on chain ${to.chainId}, where nothing is sent on to from there: name ` +
          `a token of chain ${chainId}.`,
      )
    : judgeOnward(bridge, chain.name, to.address);
}

function bridgeEatsAll(): Refusal {
  return refuse('invalid', 'The bridge takes more than the exchange brings: ask for more.');
}

function settlementOf(onward: Onward | null): number {
  return settlementSeconds + (onward === null ? 0 : bridgeSeconds);
}

function addressOf({ address }: DexToken): EvmAddress {
  return asEvmAddress(fromHex(address.slice(2)));
}
