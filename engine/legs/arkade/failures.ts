import { failedWith, PortFailure, type ConnectionFailure } from '../../domain/errors.ts';

/**
 * With what the Arkade port rejects. `refused` is any refusal that the operator spelled out and that has no name of its
 * own here; `operator-trouble` is its own internal error.
 */
export type ArkadeFailure =
  | ConnectionFailure
  | 'bad-coin'
  | 'bad-key'
  | 'bad-preimage'
  | 'bad-prepared'
  | 'banned'
  | 'batch-failed'
  | 'batch-foreign'
  | 'batch-late'
  | 'batch-refused'
  | 'batch-stopped'
  | 'checkpoint-unsigned'
  | 'coin-missing'
  | 'coins-in-batch'
  | 'cosign-refused'
  | 'delegate-refused'
  | 'fee-changed'
  | 'final-unshown'
  | 'finalize-forgotten'
  | 'finalize-unseen'
  | 'intent-left'
  | 'lock-unpaid'
  | 'locked'
  | 'no-coins'
  | 'not-accepted'
  | 'not-recoverable'
  | 'operator-away'
  | 'operator-changed'
  | 'operator-fee'
  | 'operator-late'
  | 'operator-mismatch'
  | 'operator-not-ready'
  | 'operator-refused'
  | 'operator-trouble'
  | 'pending-unread'
  | 'refund-changed'
  | 'refusal-unclear'
  | 'refused'
  | 'settings-changed'
  | 'spent-unclear'
  | 'stream-late'
  | 'stream-refused'
  | 'too-dear'
  | 'too-large'
  | 'too-small'
  | 'unknown'
  | 'unrolled';

export const arkadeFailure = PortFailure.of<ArkadeFailure>();

/** Whether it failed with one of these codes. */
export const failedOnArkade = failedWith<ArkadeFailure>();
