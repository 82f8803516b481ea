import type { BitcoinNetwork } from '../domain/chain.ts';
import type { PublicKey, Sha256, XOnly } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { Seconds, Unix } from '../domain/time.ts';
import type { TimeoutPolicy } from '../legs/timeout-policy.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';

/** What we asked a provider for, agreed with nobody yet, and frozen when the swap is opened. */
export interface OrderTerms {
  /** Base URL, empty for this very node. */
  readonly provider: string;
  readonly network: BitcoinNetwork;
  /** Our own operator, read by ourselves: a record that names another one is for coins that we could not move. */
  readonly operator: { readonly signer: XOnly; readonly exitDelay: Seconds };
  readonly keyIndex: number;
  readonly key: PublicKey;
  readonly userId: string;
  readonly hash: Sha256;
  /** Most that we pay: exactly this where the source was pinned, and what was quoted where the target was. */
  readonly sourceAmount: Sats;
  /** Least that we get: exactly this where the target was pinned, and what was quoted where the source was. */
  readonly targetAmount: Sats;
  /** An answer that comes later is not waited for: nothing was paid, so nothing is lost. */
  readonly createBefore: Unix;
  readonly policy: TimeoutPolicy;
}

/** What is agreed alike in every direction, once the swap has keys. */
export type Agreed = Omit<OrderTerms, 'hash' | 'sourceAmount' | 'targetAmount'>;

/** What the progress of every direction says alike. */
export interface TakerProgress {
  readonly at: string;
  /** Present from the moment on at which the provider's record was found right. */
  readonly deal?: Deal;
  /** The last word of the provider. */
  readonly said?: SwapStatus;
  /** Why it ended, where it did. */
  readonly reason?: string;
}

/** What a provider's record says once every part of it was derived again: the only thing that later steps believe. */
export interface Deal {
  readonly swapId: string;
  readonly vhtlc: VhtlcTerms;
  readonly script: Uint8Array;
  readonly address: string;
  readonly sourceAmount: Sats;
  readonly targetAmount: Sats;
  /** The hold invoice that we pay, or the one that the provider pays. */
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
}
