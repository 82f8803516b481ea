import type { FeeReserve } from '../legs/onchain/fee-reserve.ts';
import { feeReserve } from './ceilings.ts';

/**
 * Of the swaps whose value lies with the operator, one in so many: what is unrolled together shares its transactions.
 */
const perOperatorCoin = 5;
/** More need not be pushed at once, and a stranger who opens swaps must not shut Bitcoin to others. */
const mostCoins = 10;

/**
 * What the Bitcoin wallet keeps for fees, by what is open: HTLCs on the chain, and VHTLCs that may have to be unrolled.
 */
export function feeReserveFor({ htlcs, vhtlcs }: { htlcs: number; vhtlcs: number }): FeeReserve {
  return { coins: Math.min(mostCoins, htlcs + Math.ceil(vhtlcs / perOperatorCoin)), each: feeReserve };
}
