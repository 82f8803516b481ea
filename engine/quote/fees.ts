import { bpsDown, less, plus, type Sats } from '../domain/money.ts';

/** What a swap costs and moves, all in sats. */
export interface Price {
  readonly source: Sats;
  readonly target: Sats;
  readonly fee: Sats;
  readonly networkFee: Sats;
}

export interface Rate {
  /** Protocol fee, spread and any surcharge, in basis points. */
  readonly bps: number;
  /** What the owner takes of each swap besides. Quotes tell it with the network fee, the one flat part clients know. */
  readonly flat: Sats;
  readonly networkFee: Sats;
}

/** The node's own fee for an amount, the share of it rounded down. */
export function feeDown(amount: Sats, { bps, flat }: Pick<Rate, 'bps' | 'flat'>): Sats {
  return plus(bpsDown(amount, bps), flat);
}

/**
 * DECISIONS.md, "Fees come from the pinned side". Source pinned: the fees come out of what the client sends. Zero
 * target when they eat it all.
 */
export function priceFromSource(source: Sats, rate: Rate): Price {
  const fee = feeDown(source, rate);
  return { source, target: less(source, plus(fee, rate.networkFee)), fee, networkFee: rate.networkFee };
}

/** Target pinned: the fees come on top of what the client receives. */
export function priceFromTarget(target: Sats, rate: Rate): Price {
  const fee = feeDown(target, rate);
  return { source: plus(target, plus(fee, rate.networkFee)), target, fee, networkFee: rate.networkFee };
}

/** By the side that the client fixed. */
export function priceFromPinned(
  { pinned, amount }: { readonly pinned: 'source' | 'target'; readonly amount: Sats },
  rate: Rate,
): Price {
  return pinned === 'source' ? priceFromSource(amount, rate) : priceFromTarget(amount, rate);
}

/**
 * Most that a route may cost in all: the network fee of the swap and a share of its fee, never on top of them
 * (facts/clients.md 31). Whoever is paid may own the last hops of the route and set their price, so what is left of the
 * fee is what surely stays.
 */
export function routingBudgetMsat(price: Price, shareBps: number): bigint {
  return price.networkFee * 1_000n + (price.fee * 1_000n * BigInt(shareBps)) / 10_000n;
}
