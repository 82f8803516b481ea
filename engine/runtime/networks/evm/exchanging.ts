import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { leastOut, mostIn } from '../../../domain/slippage.ts';
import type { TakerClaim, TakerFunding } from '../../../legs/evm/taker-acts.ts';
import { exchangeOn, type Ports } from '../../ports.ts';
import type { Given, SignedFor, Worth } from './sign.ts';
import { sureQuote } from './sure-quote.ts';

/** Whether a claim wants another token than the one that its lock holds. */
export function isExchange({ lock, sweepToken }: Pick<TakerClaim, 'lock' | 'sweepToken'>): boolean {
  return !sameBytes(lock.token, sweepToken);
}

/**
 * A claim with the calls of our own exchange, which pays the coordinator: nobody else chooses what is called. Refused
 * while the price is below what the claim says at least, which only waiting can change. `least`: more than that, where
 * whoever sends it asks for more.
 */
export async function exchanging(
  { network, contracts, bySingleSource }: SignedFor & Worth,
  claim: TakerClaim,
  ports: Pick<Ports, 'exchanges'>,
  least = claim.minAmountOut,
): Promise<TakerClaim | Refusal> {
  if (!isExchange(claim)) return claim;
  const { lock, sweepToken } = claim;
  const dex = exchangeOn(ports, network);
  if (dex === null) return refuse('unavailable', 'No exchange is set for this chain.');
  const minAmountOut = least > claim.minAmountOut ? least : claim.minAmountOut;
  const query = { from: lock.token, to: sweepToken, pinned: 'in', amount: lock.amount } as const;
  const quote = await sureQuote(dex, query, () => bySingleSource);
  if (isRefusal(quote)) return quote;
  if (quote.amountOut < minAmountOut)
    return refuse('unavailable', `The exchange gives ${quote.amountOut} now; at least ${minAmountOut} are wanted.`);
  // The order may be hours old, and its least far below the price by now: whoever sees the claim coming would take the
  // difference (facts/faults.md 231).
  const near = claim.slippageBps === undefined ? 0n : leastOut(quote.amountOut, claim.slippageBps);
  const bound = near > minAmountOut ? near : minAmountOut;
  return { ...claim, minAmountOut, calls: dex.calls(quote, bound, contracts.coordinator) };
}

/**
 * The calls of our own exchange make exactly what is locked, for no more than was agreed: beyond the bound the exchange
 * reverts, and what it leaves the coordinator gives back. Refused while the price is above what the funding gives at
 * most, which only waiting can change.
 */
export async function givenFor(
  { network, contracts, bySingleSource }: SignedFor & Worth,
  { lock, amount, spend }: TakerFunding,
  ports: Pick<Ports, 'exchanges'>,
): Promise<Given | Refusal> {
  if (spend === undefined) return { token: lock.token, amount, calls: [] };
  const dex = exchangeOn(ports, network);
  if (dex === null) return refuse('unavailable', 'No exchange is set for this chain.');
  const { token, most, slippageBps } = spend;
  const quote = await sureQuote(dex, { from: token, to: lock.token, pinned: 'out', amount }, () => bySingleSource);
  if (isRefusal(quote)) return quote;
  if (quote.amountIn > most)
    return refuse('unavailable', `The exchange takes ${quote.amountIn} now; at most ${most} are given.`);
  const reach = mostIn(quote.amountIn, slippageBps);
  const bound = reach < most ? reach : most;
  return { token, amount: bound, calls: dex.calls(quote, bound, contracts.coordinator) };
}
