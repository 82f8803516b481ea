import type { Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../timelocks.ts';

/** The client's coin that must still be there, whole, and timelocked for long enough. */
export interface StillLocked {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly sourceAmount: Sats;
  readonly refundLocktime: Unix;
  readonly finalCltv: number;
  readonly invoiceExpiresAt: Unix;
  readonly policy: TimeoutPolicy;
}

/** The coin for which a preimage leaves us: it must still be there, whole, and ours for long enough. */
export interface StillClaimable {
  readonly script: Uint8Array;
  readonly outpoint: Outpoint;
  readonly targetAmount: Sats;
  readonly refundLocktime: Unix;
  readonly policy: TimeoutPolicy;
}

/** What Arkade must still show when an act is begun. */
export interface ArkadeConditions {
  readonly coin?: StillLocked;
  readonly reveal?: StillClaimable;
}
