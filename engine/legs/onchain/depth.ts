import type { Sats } from '../../domain/money.ts';
import { isReward, type RawTransaction } from '../raw-tx.ts';
import { type Safety, wait } from '../safety/verdict.ts';

/**
 * Confirmations after which a transaction counts as there for good. A reorganisation that deep has not been seen on
 * Bitcoin for a decade; believed sooner, a refund that vanishes again would give both legs away (facts/faults.md 14).
 */
export const burialDepth = 6;

/**
 * Confirmations of a coin of the other party's from which on our secret may be shown for it. In a mempool it may still
 * be replaced by whoever made it, and our claim, which shows the secret, would die with it: the other party had both
 * legs for a fee. A single block is replaced by chance every few weeks, and a rival payment that waits for that costs
 * nothing; two blocks are not, and to mine them against the chain costs more than swaps hold.
 */
export const revealDepth = 2;
/** The same of a large coin, as a provider waits for three of a client's (facts/faults.md 70). */
const revealDepthOfMuch = 3;
/** Above it a coin pays for mining against it again and again until it comes out: 0.1 BTC. */
const much = 10_000_000n;

export function revealDepthOf(amount: Sats): number {
  return amount > much ? revealDepthOfMuch : revealDepth;
}

/**
 * Confirmations from which on a miner's reward can be spent (Bitcoin Core, COINBASE_MATURITY): whoever is paid by a
 * pool has an HTLC paid by one, and no claim of it is mined before that, while its locktime passes.
 */
export const maturity = 100;

/**
 * Why a coin cannot be taken yet, by the transaction that made it; null where it can.
 *
 * Loses money when wrong: the secret is out, and by the time that the coin can be claimed its sender may take it back
 * (facts/faults.md 139).
 */
export function immature(made: RawTransaction | null, depth: number): Safety {
  if (made === null) return wait('What made the coin cannot be read now.');
  if (!isReward(made) || depth >= maturity) return null;
  return wait(`The coin is a miner’s reward of ${depth} confirmations: it cannot be spent before it has ${maturity}.`);
}

/**
 * Confirmations of what is mined at `height` at a tip of the height `tip`: 1 in the tip itself, and never less where
 * the tip is behind.
 */
export function confirmationsAt(height: number, tip: number): number {
  return Math.max(1, tip - height + 1);
}

/** Whether a transaction mined at `height` is that deep at this tip; an unread tip buries nothing. */
export function buried(height: number | null, tip: number | null): boolean {
  return height !== null && tip !== null && tip - height + 1 >= burialDepth;
}
