import type { BitcoinNetwork } from '../domain/chain.ts';
import type { PublicKey, Sha256, XOnly } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Seconds, Unix } from '../domain/time.ts';
import type { TimeoutPolicy } from '../legs/timelocks.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';

/** What we asked a provider for, agreed with nobody yet, and frozen when the swap is opened. */
interface Asked {
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

/** We pay a hold invoice and claim a VHTLC with a secret of ours. */
export interface TakeLightningArkadeTerms extends Asked {
  /** Where the claim pays. */
  readonly targetAddress: string;
  readonly description: string;
}

/** We fund a VHTLC, and the provider pays an invoice. */
export interface TakeArkadeLightningTerms extends Asked {
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
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
