import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import { type Clocks, furthest, isRead, type Unix } from '../../domain/time.ts';
import { evmTime } from '../evm/timelocks.ts';
import { holdBlocks } from '../lightning/timelocks.ts';
import { latestByChain } from '../timelocks.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { type CoinFacts, coinHolds, deepEnough, timeToClaim } from './backing.ts';
import { never, type Safety, unlessDoubted, unread, wait } from './verdict.ts';

/**
 * Locking a VHTLC against a held payment. Wrong: the client claims after the payment went back, and the VHTLC is lost.
 */
export function safeToLock(
  lock: {
    /** What is held, null unless the node said so just now. */
    held: { amount: Sats; expiryHeight: number } | null;
    sourceAmount: Sats;
    vhtlcRefundLocktime: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  if (lock.held === null) return wait('No held payment is known.');
  if (!isRead(clocks)) return unread;
  if (lock.held.amount < lock.sourceAmount)
    return never(`${lock.held.amount} sats are held; ${lock.sourceAmount} were asked for.`);
  const time = timeToClaim(lock.vhtlcRefundLocktime, clocks, policy);
  if (time !== null) return time;
  const held = lock.held.expiryHeight - (furthest(clocks.bitcoin).height ?? clocks.bitcoin.height);
  const needed = holdBlocks({ clocks, vhtlcRefundLocktime: lock.vhtlcRefundLocktime, policy });
  if (held < needed) return never(`The payment is held for ${held} blocks; ${needed} are needed.`);
  return unlessDoubted(clocks);
}

/**
 * Locking on an EVM chain against the client's VHTLC. Wrong: the client claims our lock when it can take its coin back,
 * and the lock is lost. Each leg is judged by its own chain's clock.
 */
export function safeToLockOnEvm(
  lock: { coin: CoinFacts; sourceAmount: Sats; refundLocktime: Unix; network: EvmNetwork; timelock: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const chain = clocks[lock.network];
  const time = evmTime(clocks, lock.network);
  if (!isRead(clocks)) return unread;
  if (time === null || chain === undefined || chain.mtp === null)
    return wait('The clock of the EVM chain has not been read yet.');
  const coin = coinHolds(lock.coin, lock.sourceAmount, lock.refundLocktime + policy.margin);
  if (coin !== null) return coin;
  const left = lock.timelock - time;
  if (left < policy.leastClaimTime)
    return never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`);
  // A chain that stands still, or trails, ends our lock that much later.
  const locked = lock.timelock - chain.mtp;
  const backed = lock.refundLocktime - latestByChain(clocks.bitcoin, policy);
  if (backed < locked + policy.margin)
    return wait(`The VHTLC is sure for ${Math.max(0, backed)} seconds; ${locked + policy.margin} are needed.`);
  return chain.doubt === undefined ? unlessDoubted(clocks) : wait(chain.doubt);
}

/**
 * Funding an HTLC on the Bitcoin chain against the client's lock on an EVM chain. Wrong: the client claims our coin at
 * its end and takes its lock back too. Each leg is judged by its own chain's clock, and either chain may trail true
 * time, now or later.
 */
export function safeToFundForLock(
  fund: {
    network: EvmNetwork;
    /** Blocks that stand on the lock, its own counted; null unless the chain said just now that it stands. */
    depth: number | null;
    /** Blocks that it must be buried under. */
    confirmations: number;
    /** Of the client's refund of the lock, by that chain's clock. */
    timelock: Unix;
    /** Of our refund of the HTLC, by median time past. */
    htlcRefundLocktime: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  if (!isRead(clocks)) return unread;
  const evm = clocks[fund.network];
  const { mtp } = evm ?? { mtp: null };
  if (evm === undefined || mtp === null) return wait('The clock of the chain with the lock has not been read yet.');
  const time = timeToClaim(fund.htlcRefundLocktime, clocks, policy);
  if (time !== null) return time;
  const locked = fund.htlcRefundLocktime - clocks.bitcoin.mtp + policy.mtpLag;
  const backed = fund.timelock - latestByChain({ ...evm, mtp }, policy);
  if (backed < locked + policy.margin)
    return wait(`The lock is sure for ${Math.max(0, backed)} seconds; ${locked + policy.margin} are needed.`);
  const deep = deepEnough(fund);
  if (deep !== null) return deep;
  return evm.doubt === undefined ? unlessDoubted(clocks) : wait(evm.doubt);
}

/**
 * Locking a VHTLC against the client's coin on the Bitcoin chain. Wrong: the client claims the VHTLC and takes its coin
 * back too. Median time past judges both, so that the two locktimes are compared as they are.
 */
export function safeToLockForCoin(
  lock: {
    /** Null unless the chain said just now that it lies there unspent, in a block; `depth` is its confirmations. */
    coin: { amount: Sats; depth: number } | null;
    sourceAmount: Sats;
    /** That it needs: with fewer its sender may still replace it by mining, and that pays for a large one. */
    confirmations: number;
    /** Of the client's refund on the chain. */
    refundLocktime: Unix;
    /** Of our refund of the VHTLC. */
    lockRefundLocktime: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  if (!isRead(clocks)) return unread;
  const time = timeToClaim(lock.lockRefundLocktime, clocks, policy);
  if (time !== null) return time;
  if (lock.refundLocktime < lock.lockRefundLocktime + policy.margin)
    return never('The client could take its coin back before ours is sure to be back.');
  if (lock.coin === null) return wait('The coin is not seen unspent in a block now.');
  if (lock.coin.amount < lock.sourceAmount)
    return never(`The coin holds ${lock.coin.amount} sats; ${lock.sourceAmount} were agreed.`);
  if (lock.coin.depth < lock.confirmations)
    return wait(`The coin has ${lock.coin.depth} confirmations; ${lock.confirmations} are needed.`);
  return unlessDoubted(clocks);
}
