import type { Hash160, XOnly } from '../../domain/hash.ts';
import type { Seconds, Unix } from '../../domain/time.ts';

/**
 * Everything that the six leaves of a VHTLC are made of (facts/arkade.md 7 to 12).
 * Two parties that differ in one byte here derive different addresses: whoever funds the wrong one can only wait for
 * the sender's own leaves.
 */
export interface VhtlcTerms {
  /** Refunds: whoever funds it. */
  readonly sender: XOnly;
  /** Claims with the preimage. */
  readonly receiver: XOnly;
  /** The operator's signer key when the swap was made; kept per swap, operators rotate it. */
  readonly operator: XOnly;
  /** HASH160 of the preimage, whatever form the other leg uses. */
  readonly hash: Hash160;
  /** Unix seconds, judged by median time past; never a height. */
  readonly refundLocktime: Unix;
  /** BIP-68 delays, each a multiple of 512 seconds and at least the operator's exit delay. */
  readonly claimDelay: Seconds;
  readonly refundDelay: Seconds;
  readonly refundWithoutReceiverDelay: Seconds;
  /**
   * Left out for the strict form of version 1, whose claims ask for a secret of exactly 32 bytes. A secret of another
   * length opens a coin of the loose form, and not the lock on the other side, so whoever holds that one loses it.
   * False where we claim, and the secret comes from where no other can; and of a coin of ours only as far as the owner
   * has agreed to lose it (DECISIONS.md, "A loose lock of ours is a loss that was agreed to").
   */
  readonly sizeGuard?: false;
}
