import type { BitcoinNetwork } from '../domain/chain.ts';
import type { PublicKey, Sha256, XOnly } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { Cost } from '../domain/taker.ts';
import type { Seconds, Unix } from '../domain/time.ts';
import type { TimeoutPolicy } from '../legs/timeout-policy.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import type { HtlcTerms } from '../legs/onchain/htlc.ts';

/** What we asked a provider for, agreed with nobody yet, and frozen when the swap is opened. */
export interface OrderTerms {
  /** Base URL, empty for this very node. */
  readonly provider: string;
  readonly network: BitcoinNetwork;
  readonly keyIndex: number;
  readonly key: PublicKey;
  readonly userId: string;
  readonly hash: Sha256;
  /** An answer that comes later is not waited for: nothing was paid, so nothing is lost. */
  readonly createBefore: Unix;
  readonly policy: TimeoutPolicy;
  /**
   * Set for one that was found again with its database gone, to the moment of that: what was agreed is the provider's
   * word, and nothing is paid for it again.
   */
  readonly restored?: Unix;
}

/** What every order is given once the swap has keys, whatever its networks. */
export type Agreed = Omit<OrderTerms, 'hash'>;

/** An Arkade operator as we read it ourselves: a record that names another one is for coins that we could not move. */
export interface TakerOperator {
  readonly signer: XOnly;
  readonly exitDelay: Seconds;
}

/** An order with a leg on Arkade and both amounts in sats. */
export interface ArkadeOrderTerms extends OrderTerms {
  readonly operator: TakerOperator;
  /** Most that we pay: exactly this where the source was pinned, and what was quoted where the target was. */
  readonly sourceAmount: Sats;
  /** Least that we get: exactly this where the target was pinned, and what was quoted where the source was. */
  readonly targetAmount: Sats;
}

/** What the progress of every direction says alike. */
export interface TakerProgress {
  readonly at: string;
  /** Present from the moment on at which the provider's record was found right. */
  readonly deal?: Deal;
  /** The last word of the provider. */
  readonly said?: SwapStatus;
  /** Why it was refused or ended, in whose words ever. */
  readonly detail?: string | null;
}

/** One side of a deal on its network. `amount` is in smallest units. */
export interface Leg {
  readonly on: 'arkade' | 'lightning' | 'bitcoin' | 'evm';
  readonly amount: bigint;
}

export interface ArkadeLeg extends Leg {
  readonly on: 'arkade';
  readonly amount: Sats;
  readonly vhtlc: VhtlcTerms;
  readonly script: Uint8Array;
  readonly address: string;
}

export interface LightningLeg extends Leg {
  readonly on: 'lightning';
  readonly amount: Sats;
  readonly bolt11: string;
  readonly expiresAt: Unix;
}

/** `H`: the forms that it may have. */
export interface BitcoinLeg<H extends HtlcTerms = HtlcTerms> extends Leg {
  readonly on: 'bitcoin';
  readonly amount: Sats;
  readonly htlc: H;
  readonly script: Uint8Array;
  readonly address: string;
  /** Height of the chain when the record came: no coin at the address is older. */
  readonly since: number;
}

/** What a provider's record says once every part of it was derived again: the only thing that later steps believe. */
export interface Deal<Source extends Leg = Leg, Target extends Leg = Leg> {
  readonly swapId: string;
  readonly source: Source;
  readonly target: Target;
  /** As the record says them, having been compared with its amounts; empty where a former build did not save them. */
  readonly costs: readonly Cost[];
}
