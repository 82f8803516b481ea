// The comparisons of two timelocks as they were, one for each pair of networks: whatever either form is given, the one
// comparison calls nothing safe that they did not. They use nothing of today's rules but the clocks, the words, and
// the time that blocks take by chance.
import type { EvmNetwork } from '../../../engine/domain/chain.ts';
import type { Sats } from '../../../engine/domain/money.ts';
import {
  type Clocks,
  furthest,
  isRead,
  type ReadChain,
  type ReadClocks,
  type Unix,
} from '../../../engine/domain/time.ts';
import { fewestFor } from '../../../engine/legs/block-times.ts';
import type { CoinFacts } from '../../../engine/legs/safety/backing.ts';
import { never, type Safety, unread, wait } from '../../../engine/legs/safety/verdict.ts';
import type { TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';

const invoiceSpare = 60;
const finalHopPadding = 3;

export function unlessDoubted({ bitcoin: { doubt } }: Clocks): Safety {
  return doubt === undefined ? null : wait(doubt);
}

export function latestByChain({ mtp, ahead }: Pick<ReadChain, 'mtp' | 'ahead'>, policy: TimeoutPolicy): number {
  return Math.max(mtp, ahead?.mtp ?? 0) + policy.mtpLag;
}

export function evmTime(clocks: Clocks, network: EvmNetwork): Unix | null {
  const chain = clocks[network];
  return chain === undefined ? null : furthest(chain).mtp;
}

function holdBlocks(ask: { clocks: ReadClocks; vhtlcRefundLocktime: Unix; policy: TimeoutPolicy }): number {
  const { clocks, vhtlcRefundLocktime, policy } = ask;
  const span = Math.max(0, vhtlcRefundLocktime - clocks.bitcoin.mtp) + policy.mtpLag + policy.margin;
  return fewestFor(span, policy) + policy.lndCancelBlocks + policy.reactionBlocks;
}

export function payHeight(ask: {
  clocks: ReadClocks;
  evm?: Pick<ReadChain, 'mtp' | 'ahead'>;
  refundLocktime: Unix;
  policy: TimeoutPolicy;
}): number {
  const { clocks, evm = clocks.bitcoin, refundLocktime, policy } = ask;
  const over = Math.max(0, refundLocktime - policy.margin - policy.mtpLag);
  const left = over - Math.max(evm.mtp, evm.ahead?.mtp ?? 0) - (policy.resolveBlocks ?? 0) * policy.slowBlock;
  return clocks.bitcoin.height + Math.max(0, Math.floor(left / policy.slowBlock));
}

export function coinHolds(coin: CoinFacts, least: Sats, horizon: number): Safety {
  if (coin.spent) return never('The coin is already spent.');
  if (coin.recoverable) return never('The coin is past its expiry: its timelocks protect nobody.');
  if (coin.unrolled) return never('The coin has left the operator for the chain.');
  if (coin.amount < least) return never(`The coin holds ${coin.amount} sats; ${least} were agreed.`);
  if (coin.expiresAt < horizon)
    return never(`The coin expires at ${coin.expiresAt}, before ${horizon}, when it may still be needed.`);
  return null;
}

interface Depth {
  readonly depth: number | null;
  readonly confirmations: number;
  readonly doubt?: string | undefined;
}

export function deepEnough({ depth, confirmations, doubt }: Depth): Safety {
  if (depth === null) return wait('The lock is not seen on its chain now.');
  if (depth >= confirmations) return null;
  return wait(doubt ?? `The lock is buried under ${depth} blocks; ${confirmations} are needed.`);
}

function timeToClaim(refundLocktime: Unix, clocks: ReadClocks, policy: TimeoutPolicy): Safety {
  const left = refundLocktime - latestByChain(clocks.bitcoin, policy);
  return left < policy.leastClaimTime
    ? never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`)
    : null;
}

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

/** What a payment must still have time for. */
interface PayTime {
  readonly refundLocktime: Unix;
  readonly maxTimeoutHeight: number;
  readonly finalCltv: number;
  readonly invoiceExpiresAt: Unix;
}

/**
 * Starting a Lightning payment against the client's VHTLC. Wrong: the payment settles when the client can refund, and
 * the payout is lost.
 */
export function safeToPay(
  pay: PayTime & { coin: CoinFacts; sourceAmount: Sats },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  if (!isRead(clocks)) return unread;
  const coin = coinHolds(pay.coin, pay.sourceAmount, pay.refundLocktime + policy.margin);
  return coin ?? timeToPay(pay, clocks, clocks.bitcoin, policy);
}

/**
 * The same against the client's lock on an EVM chain, whose own clock opens the refund (facts/faults.md 36).
 */
export function safeToPayForLock(
  pay: PayTime & {
    network: EvmNetwork;
    /** Blocks that stand on it, its own counted; null unless the chain said just now that it stands. */
    depth: number | null;
    /** Blocks that it must be buried under. */
    confirmations: number;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  if (!isRead(clocks)) return unread;
  const evm = clocks[pay.network];
  const { mtp } = evm ?? { mtp: null };
  if (evm === undefined || mtp === null) return wait('The clock of the chain with the lock has not been read yet.');
  const time = timeToPay(pay, clocks, { ...evm, mtp }, policy);
  if (time !== null) return time;
  const deep = deepEnough(pay);
  if (deep !== null) return deep;
  return evm.doubt === undefined ? null : wait(evm.doubt);
}

function timeToPay(
  pay: PayTime,
  clocks: ReadClocks,
  lockedOn: Pick<ReadChain, 'mtp' | 'ahead'>,
  policy: TimeoutPolicy,
): Safety {
  // By the wall, as the payee and the Lightning node judge it: an invoice taken for alive too long is refused by them.
  if (clocks.wall > pay.invoiceExpiresAt - invoiceSpare)
    return never(
      `The invoice expires at ${pay.invoiceExpiresAt}; it must live ${invoiceSpare} seconds longer than now.`,
    );
  const { refundLocktime } = pay;
  const limit = Math.min(pay.maxTimeoutHeight, payHeight({ clocks, evm: lockedOn, refundLocktime, policy }));
  const needed = (furthest(clocks.bitcoin).height ?? clocks.bitcoin.height) + pay.finalCltv + finalHopPadding;
  if (limit < needed)
    return never(`The payment could time out at height ${needed} at the earliest; it must be over by height ${limit}.`);
  return unlessDoubted(clocks);
}
