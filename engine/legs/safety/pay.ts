import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import { type Clocks, furthest, isRead, type ReadChain, type ReadClocks, type Unix } from '../../domain/time.ts';
import { payHeight } from '../lightning/timelocks.ts';
import { invoicePayableUntil, invoiceSpare } from '../timelocks.ts';
import { finalHopPadding, type TimeoutPolicy } from '../timeout-policy.ts';
import { type CoinFacts, coinHolds, deepEnough } from './backing.ts';
import { never, type Safety, unlessDoubted, unread, wait } from './verdict.ts';

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
