import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import { type Clocks, isRead, type Locktime, type Unix } from '../../domain/time.ts';
import { htlcSpan, latestOn, lockSpan, type OursToClaim, paymentSpan, vhtlcSpan } from '../spans.ts';
import { invoicePayableUntil, invoiceSpare } from '../timelocks.ts';
import { finalHopPadding, type TimeoutPolicy } from '../timeout-policy.ts';
import { type CoinFacts, coinBuried, coinHolds, deepEnough } from './backing.ts';
import { safeToGive } from './give.ts';
import { never, type Safety, unread } from './verdict.ts';

/** What a payment must still have time for. */
interface PayTime {
  /** No HTLC of it may time out above this height, as it was pinned at creation. */
  readonly maxTimeoutHeight: number;
  readonly finalCltv: number;
  readonly invoiceExpiresAt: Unix;
}

/**
 * Starting a Lightning payment against the client's VHTLC. Wrong: the payment settles when the client can refund, and
 * the payout is lost.
 */
export function safeToPay(
  pay: PayTime & { coin: CoinFacts; sourceAmount: Sats; refundLocktime: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const coin = coinHolds(pay.coin, pay.sourceAmount, pay.refundLocktime + policy.margin);
  return safeToPayFor({ ...pay, look: coin, sure: vhtlcSpan(pay.refundLocktime) }, clocks, policy);
}

/**
 * The same against the client's lock on an EVM chain, whose own clock opens the refund (facts/faults.md 36).
 */
export function safeToPayForLock(
  pay: PayTime & {
    network: EvmNetwork;
    refundLocktime: Unix;
    /** Blocks that stand on it, its own counted; null unless the chain said just now that it stands. */
    depth: number | null;
    /** Blocks that it must be buried under. */
    confirmations: number;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const sure = lockSpan(pay.network, pay.refundLocktime);
  return safeToPayFor({ ...pay, look: deepEnough(pay), sure }, clocks, policy);
}

/**
 * The same against the client's coin on the Bitcoin chain, which it may take back once its locktime has passed.
 */
export function safeToPayForCoin(
  pay: PayTime & {
    /** Null unless the chain said just now that it lies there unspent, in a block; `depth` is its confirmations. */
    coin: { amount: Sats; depth: number } | null;
    sourceAmount: Sats;
    /** That it needs: with fewer its sender may still replace it by mining. */
    confirmations: number;
    refundLocktime: Locktime;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const look = coinBuried(pay.coin, pay.sourceAmount, pay.confirmations);
  return safeToPayFor({ ...pay, look, sure: htlcSpan(pay.refundLocktime) }, clocks, policy);
}

/**
 * Starting a Lightning payment for whatever the client gave: `look` is what the look at that came to. What the payment
 * needs at the least, its route to the payee, must be over in time; `payHeight` says what it may take at the most.
 */
function safeToPayFor(
  pay: PayTime & { readonly look: Safety; readonly sure: OursToClaim },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  if (!isRead(clocks)) return unread;
  const { look, sure, maxTimeoutHeight } = pay;
  const height = latestOn('height', clocks) ?? clocks.bitcoin.height;
  const needed = height + pay.finalCltv + finalHopPadding;
  const looks = [look, invoiceAlive(pay, clocks), heightLeft(needed, maxTimeoutHeight)];
  return safeToGive({ looks, sure, given: paymentSpan(needed, policy) }, clocks, policy);
}

/** By the wall, as the payee and the Lightning node judge it: an invoice called alive too long is refused by them. */
function invoiceAlive({ invoiceExpiresAt }: PayTime, { wall }: Clocks): Safety {
  return wall > invoicePayableUntil(invoiceExpiresAt)
    ? never(`The invoice expires at ${invoiceExpiresAt}; it must live ${invoiceSpare} seconds longer than now.`)
    : null;
}

/** Of the height that was pinned at creation. */
function heightLeft(needed: number, limit: number): Safety {
  return limit < needed
    ? never(`The payment could time out at height ${needed} at the earliest; it must be over by height ${limit}.`)
    : null;
}
