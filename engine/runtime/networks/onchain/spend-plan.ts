import type { Sats } from '../../../domain/money.ts';
import type { Unix } from '../../../domain/time.ts';
import type { ChainTip } from '../../../legs/onchain/port.ts';

/** What a spend of a coin at an HTLC may pay now, where nothing speaks against the coin. */
export interface SpendPlan {
  readonly amount: Sats;
  /** What made the coin. */
  readonly funding: Uint8Array;
  readonly feeRate: number;
  /** Who asked for that rate. */
  readonly by: string;
  readonly mostFee: Sats;
  /** Until when it may pay no more. */
  readonly until: Unix | null;
  readonly tip: ChainTip | null;
}
