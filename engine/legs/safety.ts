import type { EvmNetwork } from '../domain/chain.ts';
import type { Sats } from '../domain/money.ts';
import { type Clocks, furthest, isRead, type ReadChain, type ReadClocks, type Unix } from '../domain/time.ts';
import {
  holdBlocks,
  invoicePayableUntil,
  invoiceSpare,
  latestByChain,
  locktimePassed,
  payHeight,
  revealMargin,
  revealUntil,
} from './timelocks.ts';
import { finalHopPadding, type TimeoutPolicy } from './timeout-policy.ts';
import type { Vtxo } from './arkade/vtxo.ts';
import { evmTime } from './evm/timelocks.ts';
import { revealDepth } from './onchain/depth.ts';
import { claimLine } from './onchain/timelocks.ts';

/*
 * The last look before every irreversible act (DECISIONS.md, "The last look is pure"). Evaluated at the act, never once at creation, and
 * unsafe whenever something is not known. Timelocks are judged by the chain's clock alone: a wall clock that is wrong
 * makes nothing safe (facts/faults.md 45).
 */

/** `wait`: a reading or time heals it. `never`: time only makes it worse. */
export interface Unsafe {
  readonly unsafe: 'wait' | 'never';
  readonly sentence: string;
}

/** Null is safe. */
export type Safety = Unsafe | null;

const unread: Unsafe = { unsafe: 'wait', sentence: 'The Bitcoin clock has not been read yet.' };

function wait(sentence: string): Unsafe {
  return { unsafe: 'wait', sentence };
}

function never(sentence: string): Unsafe {
  return { unsafe: 'never', sentence };
}

/** Safe by a reading that is not sure is not safe yet; what the time forbids stays forbidden. */
function unlessDoubted({ bitcoin: { doubt } }: Clocks): Safety {
  return doubt === undefined ? null : wait(doubt);
}

/** What a VHTLC coin must show before anything is given against it. */
export type CoinFacts = Pick<Vtxo, 'amount' | 'expiresAt' | 'recoverable' | 'unrolled' | 'spent'>;

/**
 * A coin of the other party at its script: there, whole, and timelocked until `horizon`. Past its expiry a coin goes to
 * its sender without any timelock (facts/arkade.md 26).
 */
function coinHolds(coin: CoinFacts, least: Sats, horizon: number): Safety {
  if (coin.spent) return never('The coin is already spent.');
  if (coin.recoverable) return never('The coin is past its expiry: its timelocks protect nobody.');
  if (coin.unrolled) return never('The coin has left the operator for the chain.');
  if (coin.amount < least) return never(`The coin holds ${coin.amount} sats; ${least} were agreed.`);
  if (coin.expiresAt < horizon)
    return never(`The coin expires at ${coin.expiresAt}, before ${horizon}, when it may still be needed.`);
  return null;
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

/** A lock that is not seen, or not deep enough, may still be: nothing but the time says that it never will. */
function deepEnough({ depth, confirmations }: { depth: number | null; confirmations: number }): Safety {
  if (depth === null) return wait('The lock is not seen on its chain now.');
  return depth < confirmations ? wait(`The lock is buried under ${depth} blocks; ${confirmations} are needed.`) : null;
}

function timeToPay(
  pay: PayTime,
  clocks: ReadClocks,
  lockedOn: Pick<ReadChain, 'mtp' | 'ahead'>,
  policy: TimeoutPolicy,
): Safety {
  // By the wall, as the payee and the Lightning node judge it: an invoice taken for alive too long is refused by them.
  if (clocks.wall > invoicePayableUntil(pay.invoiceExpiresAt))
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
 * Funding an HTLC on the Bitcoin chain against the client's lock on an EVM chain. Wrong: the client claims our coin at its end and takes
 * its lock back too. Each leg is judged by its own chain's clock, and either chain may trail true time, now or later.
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

/** What the client must have left to claim a leg of ours before we may take it back by median time past. */
function timeToClaim(refundLocktime: Unix, clocks: ReadClocks, policy: TimeoutPolicy): Safety {
  const left = refundLocktime - latestByChain(clocks.bitcoin, policy);
  return left < policy.leastClaimTime
    ? never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`)
    : null;
}

/**
 * Locking a VHTLC against the client's coin on the Bitcoin chain. Wrong: the client claims the VHTLC and takes its coin back too. Median time
 * past judges both, so that the two locktimes are compared as they are.
 */
export function safeToLockForCoin(
  lock: {
    /** Null unless the chain said just now that it lies there unspent, in a block. */
    coin: { amount: Sats } | null;
    sourceAmount: Sats;
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
  return unlessDoubted(clocks);
}

/**
 * Publishing a preimage to claim a VHTLC that the other party can refund at its locktime. Wrong: the secret is out, the
 * claim loses the race, and both legs are the other party's.
 */
export function safeToReveal(
  claim: { coin: CoinFacts; targetAmount: Sats; refundLocktime: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const { wall, bitcoin } = clocks;
  const { mtp } = bitcoin;
  if (mtp === null) return unread;
  const now = latestByChain({ ...bitcoin, mtp }, policy);
  const needed = revealMargin(policy);
  // A coin's expiry is judged by the operator's wall clock: ours or the chain's, whichever leaves less.
  const coin = coinHolds(claim.coin, claim.targetAmount, Math.max(wall, now) + needed);
  if (coin !== null) return coin;
  const left = claim.refundLocktime - now;
  if (Math.max(mtp, bitcoin.ahead?.mtp ?? 0) > revealUntil(claim.refundLocktime, policy))
    return never(`The refund may open in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
  return null;
}

/**
 * Publishing a preimage to claim a lock on an EVM chain that the provider can take back from its timelock on. Wrong: the secret is out,
 * the claim comes too late or finds nothing, and both legs are the provider's.
 */
export function safeToRevealForLock(
  claim: {
    network: EvmNetwork;
    /** Blocks that stand on the lock, its own counted; null unless the chain said just now that it stands. */
    depth: number | null;
    /** Blocks that it must be buried under. */
    confirmations: number;
    /** Of the provider's refund of the lock, by that chain's clock. */
    timelock: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const time = evmTime(clocks, claim.network);
  if (time === null) return wait('The clock of the chain with the lock has not been read yet.');
  const left = claim.timelock - time;
  const needed = revealMargin(policy);
  if (left < needed)
    return never(`The provider may take its lock back in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
  const deep = deepEnough(claim);
  if (deep !== null) return deep;
  const doubt = clocks[claim.network]?.doubt;
  return doubt === undefined ? null : wait(doubt);
}

/**
 * Publishing a preimage to claim a coin on the Bitcoin chain that the provider can take back once median time past is above its locktime.
 * Wrong: the secret is out, the claim is mined too late or its coin is gone, and both legs are the provider's.
 */
export function safeToRevealForCoin(
  claim: {
    /** Null unless the chain said just now that it lies there unspent; its height is null while it is in no block. */
    coin: { amount: Sats; height: number | null } | null;
    /** Of the tip that was looked at. */
    height: number;
    targetAmount: Sats;
    /** Of the provider's refund, by median time past. */
    refundLocktime: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const { mtp } = furthest(clocks.bitcoin);
  if (mtp === null) return unread;
  const { coin, refundLocktime, targetAmount } = claim;
  const line = claimLine(refundLocktime, policy);
  if (mtp > line)
    return never(`A claim must begin before median time past is ${line} to be mined in time; it is ${mtp}.`);
  if (coin === null) return wait('The coin is not seen unspent on the chain now.');
  if (coin.amount < targetAmount) return never(`The coin holds ${coin.amount} sats; ${targetAmount} were agreed.`);
  const depth = coin.height === null ? 0 : Math.max(0, claim.height - coin.height + 1);
  if (depth < revealDepth) return wait(`The coin has ${depth} confirmations; ${revealDepth} are needed.`);
  return unlessDoubted(clocks);
}

/**
 * Refunding the leg that we funded, by its locktime leaf. Wrong: too early it is refused and may strand the coin. That
 * the client has not claimed it is the state's to know: a swap that saw the claim never asks.
 */
export function safeToRefund(refund: { refundLocktime: Unix }, clocks: Clocks): Safety {
  const { mtp } = furthest(clocks.bitcoin);
  if (mtp === null) return unread;
  if (!locktimePassed(refund.refundLocktime, { mtp }))
    return wait(`The refund opens when median time past is above ${refund.refundLocktime}; it is ${mtp}.`);
  return null;
}
