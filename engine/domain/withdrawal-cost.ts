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

/** How soon a withdrawal on the Bitcoin chain is to be mined, and within how many blocks that is. */
export const withdrawalSpeeds = { 'next-block': 1, hour: 6, day: 144 } as const;
export type WithdrawalSpeed = keyof typeof withdrawalSpeeds;
export const speedNames = Object.keys(withdrawalSpeeds) as readonly WithdrawalSpeed[];

/** Sats that routing an owner's payment may cost: half a percent and ten sats, and no more than any withdrawal. */
export function routingCeiling(amount: Sats, ceilings: WithdrawalCeilings): Sats {
  return lesser(plus(bpsDown(amount, 50), sats(10)), withdrawalCeiling(amount, ceilings));
}
