import { bpsDown, greater, lesser, plus, sats, type Sats } from './money.ts';

/** What a withdrawal may cost, as the owner sets it: basis points of what is sent, and sats. */
export interface WithdrawalCeilings {
  readonly withdrawalBps: number;
  readonly withdrawalMinSats: number;
  readonly withdrawalMaxSats: number;
}

/**
 * Sats for the first fee and raises of a withdrawal together, unless its owner says more. Too high, and a source that
 * lies about fees takes it.
 */
export function withdrawalCeiling(amount: Sats, ceilings: WithdrawalCeilings): Sats {
  return lesser(
    sats(ceilings.withdrawalMaxSats),
    greater(sats(ceilings.withdrawalMinSats), bpsDown(amount, ceilings.withdrawalBps)),
  );
}

/** Sats that routing an owner's payment may cost: half a percent and ten sats, and no more than any withdrawal. */
export function routingCeiling(amount: Sats, ceilings: WithdrawalCeilings): Sats {
  return lesser(plus(bpsDown(amount, 50), sats(10)), withdrawalCeiling(amount, ceilings));
}
