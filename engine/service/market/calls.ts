import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { BridgeTerms } from '../../legs/evm/bridge.ts';
import type { Call } from '../../legs/evm/contracts.ts';
import { onwardCall } from '../../quote/bridge.ts';
import { leastOut, mostIn } from '../../domain/slippage.ts';
import { isPegged, type Market } from './market.ts';

/** What a claim does with what its lock held. */
export interface ClaimPlan {
  /** None where the token of the lock is what the client wants. */
  readonly calls: readonly Call[];
  /** The call of the exchange, as clients send it back; null where nothing is exchanged. */
  readonly exchange: Call | null;
  readonly sweepToken: EvmAddress;
  /** The floor that the client signs and the coordinator holds. */
  readonly minAmountOut: bigint;
}

/** Of whom and for what a claim is planned. */
export interface Claimed {
  /** Of the swap, as hex. */
  readonly hash: string;
  readonly coordinator: EvmAddress;
  readonly locked: bigint;
  /** On the chain of the lock: of USDC that goes on it is the one there. */
  readonly token: EvmAddress;
  /** What the client was promised, on the last chain. */
  readonly promised: bigint;
  /** Where it goes on to; null where it stays. */
  readonly onward: BridgeTerms | null;
}

/**
 * The calls of a claim. The exchange pays the coordinator, which pays the client no less than the floor; what goes on
 * is paid to the bridge's adapter instead, the floor inside the exchange. Where the market does not reach it now, the
 * refusal says what is left to do.
 */
export async function planClaim(market: Market, of: Claimed): Promise<ClaimPlan | Refusal> {
  const { onward } = of;
  if (isPegged(market, of.token)) return { calls: [], exchange: null, sweepToken: of.token, minAmountOut: of.locked };
  const { dex, bridge } = market;
  if (dex === null) return noExchange(market);
  if (onward !== null && bridge === null)
    return refuse('unavailable', 'USDC is not sent on from this chain now: try again later.');
  const query = { from: market.pegged.address, to: of.token, pinned: 'in', amount: of.locked } as const;
  const quote = await dex.quote(query, { by: { is: 'claim', hash: of.hash } });
  if (isRefusal(quote)) return quote;
  const floor = leastOut(of.promised + (onward?.fee ?? 0n), market.slippageBps);
  if (quote.amountOut < floor)
    return refuse(
      'invalid',
      `The exchange gives ${quote.amountOut} now and the swap promised at least ${floor}: try again in some ` +
        `minutes, or claim ${market.pegged.symbol} by a transaction of your own.`,
    );
  if (onward === null || bridge === null) {
    const calls = dex.calls(quote, floor, of.coordinator);
    return { calls, exchange: calls[1], sweepToken: of.token, minAmountOut: floor };
  }
  const calls = dex.calls(quote, floor, bridge.adapter);
  return { calls: [...calls, onwardCall(bridge, onward)], exchange: calls[1], sweepToken: of.token, minAmountOut: 0n };
}

/** What funds a lock. */
export interface FundingPlan {
  readonly calls: readonly Call[];
  /** What the client permits of its token. */
  readonly sourceAmount: bigint;
}

/**
 * The calls that bring `expected` of the pegged token into a lock, for a client that pays with `token`: the exchange
 * takes `agreed` at most, of which the coordinator gives back what is left, and falls short and reverts rather than
 * fund too little. Where the price has moved beyond that: who fixed the payout is asked for more, with the slippage;
 * who wanted to spend all that it has (`sourcePinned`) has no more, and waits (facts/faults.md 74).
 */
export async function planFunding(
  market: Market,
  of: {
    /** Of the swap, as hex. */
    readonly hash: string;
    readonly coordinator: EvmAddress;
    readonly expected: bigint;
    readonly token: EvmAddress;
    /** What the record says that the client gives. */
    readonly agreed: bigint;
    readonly sourcePinned: boolean;
  },
): Promise<FundingPlan | Refusal> {
  const { coordinator, expected, token, agreed, sourcePinned } = of;
  if (isPegged(market, token)) return { calls: [], sourceAmount: agreed };
  const { dex, pegged, slippageBps } = market;
  if (dex === null) return noExchange(market);
  const query = { from: token, to: pegged.address, pinned: 'out', amount: expected } as const;
  const quote = await dex.quote(query, { by: { is: 'funding', hash: of.hash } });
  if (isRefusal(quote)) return quote;
  const reaches = quote.amountIn <= agreed;
  if (!reaches && sourcePinned)
    return refuse(
      'invalid',
      `The exchange takes ${quote.amountIn} units now and the swap gives ${agreed}: try again in some minutes, or ` +
        'create a new swap at the price of now.',
    );
  const sourceAmount = reaches ? agreed : mostIn(quote.amountIn, slippageBps);
  return { calls: dex.calls(quote, sourceAmount, coordinator), sourceAmount };
}

function noExchange({ chainId, pegged }: Market): Refusal {
  return refuse(
    'unavailable',
    `Nothing is exchanged on chain ${chainId} now: try again later, or with ${pegged.symbol}.`,
  );
}
