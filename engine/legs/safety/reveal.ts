import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import { isHeight, type Clocks, type Locktime, type Unix } from '../../domain/time.ts';
import { revealDepthOf } from '../onchain/depth.ts';
import { claimTime, htlcSpan, latestOn, lockSpan, vhtlcSpan } from '../spans.ts';
import { claimUntil, revealMargin } from '../timelocks.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { type CoinFacts, coinHolds, deepEnough } from './backing.ts';
import { never, type Safety, unlessDoubted, unlessStill, unread, wait } from './verdict.ts';

/**
 * Publishing a preimage to claim a VHTLC that the other party can refund at its locktime. Wrong: the secret is out, the
 * claim loses the race, and both legs are the other party's.
 */
export function safeToReveal(
  claim: { coin: CoinFacts; targetAmount: Sats; refundLocktime: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const left = claimTime(vhtlcSpan(claim.refundLocktime), clocks, policy);
  if (clocks.bitcoin.mtp === null || left === null) return unread;
  const needed = revealMargin(policy);
  // A coin's expiry is judged by the operator's wall clock: ours or the chain's, whichever leaves less.
  const coin = coinHolds(claim.coin, claim.targetAmount, Math.max(clocks.wall, claim.refundLocktime - left) + needed);
  if (coin !== null) return coin;
  if (left < needed) return never(`The refund may open in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
  return unlessStill(clocks, 'bitcoin', policy);
}

/**
 * Publishing a preimage to claim a lock on an EVM chain that the provider can take back from its timelock on. Wrong:
 * the secret is out, the claim comes too late or finds nothing, and both legs are the provider's.
 */
export function safeToRevealForLock(
  claim: {
    network: EvmNetwork;
    /** Blocks that stand on the lock, its own counted; null unless the chain said just now that it stands. */
    depth: number | null;
    /** Blocks that it must be buried under. */
    confirmations: number;
    /** Why the chain cannot be asked for more of them. */
    doubt?: string | undefined;
    /** Of the provider's refund of the lock, by that chain's clock. */
    timelock: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const left = claimTime(lockSpan(claim.network, claim.timelock), clocks, policy);
  if (left === null) return wait('The clock of the chain with the lock has not been read yet.');
  const needed = revealMargin(policy);
  if (left < needed)
    return never(`The provider may take its lock back in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
  const deep = deepEnough(claim);
  if (deep !== null) return deep;
  return unlessStill(clocks, claim.network, policy) ?? unlessDoubted(clocks, claim.network);
}

/**
 * Publishing a preimage to claim a coin on the Bitcoin chain that the provider can take back once its locktime has
 * passed. Wrong: the secret is out, the claim is mined too late or its coin is gone, and both legs are the
 * provider's.
 */
export function safeToRevealForCoin(
  claim: {
    /** Null unless the chain said just now that it lies there unspent; its height is null while it is in no block. */
    coin: { amount: Sats; height: number | null } | null;
    /** Of the tip that was looked at. */
    height: number;
    targetAmount: Sats;
    /** Of the provider's refund, by median time past or a height. */
    refundLocktime: Locktime;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const { coin, refundLocktime, targetAmount } = claim;
  const left = claimTime(htlcSpan(refundLocktime), clocks, policy);
  if (left === null) return unread;
  if (left < policy.margin)
    return never(
      isHeight(refundLocktime)
        ? `A claim must begin before block ${claimUntil(refundLocktime, policy)} to be mined in time; the tip is at ` +
            `${latestOn('height', clocks)}.`
        : `A claim must begin before median time past is ${claimUntil(refundLocktime, policy)} to be mined in time; it ` +
            `is ${latestOn('bitcoin', clocks)}.`,
    );
  if (coin === null) return wait('The coin is not seen unspent on the chain now.');
  if (coin.amount < targetAmount) return never(`The coin holds ${coin.amount} sats; ${targetAmount} were agreed.`);
  const depth = coin.height === null ? 0 : Math.max(0, claim.height - coin.height + 1);
  const needed = revealDepthOf(targetAmount);
  if (depth < needed) return wait(`The coin has ${depth} confirmations; ${needed} are needed.`);
  return unlessStill(clocks, 'bitcoin', policy) ?? unlessDoubted(clocks, 'bitcoin');
}
