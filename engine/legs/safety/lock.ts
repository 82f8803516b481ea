import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import type { Clocks, Locktime, Unix } from '../../domain/time.ts';
import { holdSpan } from '../lightning/timelocks.ts';
import { htlcSpan, lockSpan, vhtlcSpan, type TheirsToClaim } from '../spans.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { type CoinFacts, coinBuried, coinHolds, deepEnough, holdsEnough } from './backing.ts';
import { safeToGive, type Give } from './give.ts';
import { type Safety, wait } from './verdict.ts';

/** What is held, null unless the node said so just now. */
type HeldPayment = { readonly amount: Sats; readonly expiryHeight: number } | null;

/**
 * Locking a VHTLC against a held payment. Wrong: the client claims after the payment went back, and the VHTLC is lost.
 * `give`: of a VHTLC that the operator has half, whether it is finished.
 */
export function safeToLock(
  lock: { held: HeldPayment; sourceAmount: Sats; vhtlcRefundLocktime: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
  give: Give = safeToGive,
): Safety {
  return safeToLockForHeld({ ...lock, given: vhtlcSpan(lock.vhtlcRefundLocktime) }, clocks, policy, give);
}

/**
 * Locking on an EVM chain against a held payment. Wrong: the client claims after the payment went back, and the lock is
 * lost.
 */
export function safeToLockOnEvmForHeld(
  lock: { held: HeldPayment; sourceAmount: Sats; network: EvmNetwork; timelock: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  return safeToLockForHeld({ ...lock, given: lockSpan(lock.network, lock.timelock) }, clocks, policy);
}

/**
 * Funding an HTLC on the Bitcoin chain against a held payment. Wrong: the client claims after the payment went back,
 * and the coin is lost.
 */
export function safeToFundForHeld(
  fund: { held: HeldPayment; sourceAmount: Sats; htlcRefundLocktime: Locktime },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  return safeToLockForHeld({ ...fund, given: htlcSpan(fund.htlcRefundLocktime) }, clocks, policy);
}

function safeToLockForHeld(
  { held, sourceAmount, given }: { held: HeldPayment; sourceAmount: Sats; given: TheirsToClaim },
  clocks: Clocks,
  policy: TimeoutPolicy,
  give: Give = safeToGive,
): Safety {
  if (held === null) return wait('No held payment is known.');
  const looks = [holdsEnough(held.amount, sourceAmount)];
  return give({ looks, sure: holdSpan(held.expiryHeight, policy), given }, clocks, policy);
}

/**
 * Locking on an EVM chain against the client's VHTLC. Wrong: the client claims our lock when it can take its coin back,
 * and the lock is lost.
 */
export function safeToLockOnEvm(
  lock: { coin: CoinFacts; sourceAmount: Sats; refundLocktime: Unix; network: EvmNetwork; timelock: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const { coin, sourceAmount, refundLocktime, network, timelock } = lock;
  return safeToGive(
    {
      looks: [coinHolds(coin, sourceAmount, refundLocktime + policy.margin)],
      sure: vhtlcSpan(refundLocktime),
      given: lockSpan(network, timelock),
    },
    clocks,
    policy,
  );
}

/**
 * Funding an HTLC on the Bitcoin chain, or on Arkade, against the client's lock on an EVM chain: median time past
 * judges our refund of either. Wrong: the client claims our coin at its end and takes its lock back too. `give`: as of
 * `safeToLock`.
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
  give: Give = safeToGive,
): Safety {
  const { network, timelock, htlcRefundLocktime } = fund;
  return give(
    { looks: [deepEnough(fund)], sure: lockSpan(network, timelock), given: htlcSpan(htlcRefundLocktime) },
    clocks,
    policy,
  );
}

/**
 * Funding an HTLC on the Bitcoin chain against the client's VHTLC: a height against a time (facts/timelocks.md 28).
 * Wrong: the client claims our coin when it can take its own back, and ours is lost.
 */
export function safeToFundForVhtlc(
  fund: {
    coin: CoinFacts;
    sourceAmount: Sats;
    /** Of the client's refund of its VHTLC, by median time past. */
    refundLocktime: Unix;
    /** Of our refund of the HTLC. */
    htlcRefundLocktime: Locktime;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const { coin, sourceAmount, refundLocktime, htlcRefundLocktime } = fund;
  return safeToGive(
    {
      looks: [coinHolds(coin, sourceAmount, refundLocktime + policy.margin)],
      sure: vhtlcSpan(refundLocktime),
      given: htlcSpan(htlcRefundLocktime),
    },
    clocks,
    policy,
  );
}

/** Null unless the chain said just now that it lies there unspent, in a block; `depth` is its confirmations. */
export type BuriedCoin = { readonly amount: Sats; readonly depth: number } | null;

/** The client's coin on the Bitcoin chain, and what it must be. */
interface CoinOnChain {
  readonly coin: BuriedCoin;
  readonly sourceAmount: Sats;
  /** That it needs: with fewer its sender may still replace it by mining, and that pays for a large one. */
  readonly confirmations: number;
  /** Of the client's refund on the chain. */
  readonly refundLocktime: Locktime;
}

/**
 * Locking a VHTLC against the client's coin on the Bitcoin chain. Wrong: the client claims the VHTLC and takes its coin
 * back too. `lockRefundLocktime`: of our refund of the VHTLC. `give`: as of `safeToLock`.
 */
export function safeToLockForCoin(
  lock: CoinOnChain & { lockRefundLocktime: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
  give: Give = safeToGive,
): Safety {
  return safeToGiveForCoin({ ...lock, given: vhtlcSpan(lock.lockRefundLocktime) }, clocks, policy, give);
}

/**
 * Locking on an EVM chain against the client's coin on the Bitcoin chain. Wrong: the client claims our lock, which it
 * can until our refund of it is mined, and takes its coin back too.
 */
export function safeToLockOnEvmForCoin(
  lock: CoinOnChain & { network: EvmNetwork; timelock: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  return safeToGiveForCoin({ ...lock, given: lockSpan(lock.network, lock.timelock) }, clocks, policy);
}

function safeToGiveForCoin(
  { coin, sourceAmount, confirmations, refundLocktime, given }: CoinOnChain & { given: TheirsToClaim },
  clocks: Clocks,
  policy: TimeoutPolicy,
  give: Give = safeToGive,
): Safety {
  const looks = [coinBuried(coin, sourceAmount, confirmations)];
  return give({ looks, sure: htlcSpan(refundLocktime), given }, clocks, policy);
}
