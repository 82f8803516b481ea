import type { Signal } from '../contract/client.ts';
import type { Refusal } from '../domain/errors.ts';
import type { Sats } from '../domain/money.ts';
import type { Txid } from '../domain/outpoint.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { CollabRefund } from '../legs/arkade/refund-request.ts';
import type { EvmNetwork, TakerDirection } from '../domain/chain.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { Cost, NoOfferCode, ProviderFault } from '../domain/taker.ts';
import type { ProviderOrder } from '../legs/provider/effects.ts';
import type { ProviderOnEvm } from './evm/port.ts';
import type { ProviderOnBitcoin } from './joint.ts';

/** What every provider is asked alike. */
export interface Inquiry {
  readonly direction: TakerDirection;
  readonly side: 'source' | 'target';
  /** In smallest units of that side. */
  readonly amount: bigint;
  /** What is locked on the EVM chain of the direction; null for one without. */
  readonly token: {
    readonly chain: EvmNetwork;
    readonly pegged: { readonly address: EvmAddress; readonly decimals: number };
    /** Another token, which an exchange makes of it; its worth in bitcoin is what the offer says. */
    readonly exchanged?: EvmAddress;
  } | null;
}

/** Amounts in smallest units of either side, limits in sats. */
export type Offer =
  | {
      readonly is: 'offer';
      readonly source: bigint;
      readonly target: bigint;
      /** Empty where the parts do not add up to the difference. */
      readonly costs: readonly Cost[];
      readonly least: bigint;
      readonly most: bigint;
    }
  | {
      readonly is: 'none';
      readonly why: NoOfferCode;
      /** Null where the provider does not say. */
      readonly least: bigint | null;
      readonly most: bigint | null;
      /** In the provider's own words. */
      readonly detail: string | null;
    };

export interface ListedPair {
  readonly source: string;
  readonly target: string;
}

/** A token by the number of its chain and its contract. */
export interface ListedToken {
  readonly chain: string;
  readonly token_id: string;
}

/** What a provider quotes: binding for us as the most that we pay and the least that we get, not for it. */
export interface ProviderQuote {
  readonly source: Sats;
  readonly target: Sats;
}

/** What a provider says of a swap. `paidIn`: the transaction by which an HTLC on the Bitcoin chain was paid. */
export interface ProviderWord {
  readonly status: SwapStatus;
  readonly paidIn?: Txid;
}

export type CreateAnswer =
  /** As it came: `verify` reads and judges it. */
  | { readonly is: 'created'; readonly record: unknown }
  /** The hash has a swap already, perhaps ours from before a crash. */
  | { readonly is: 'used'; readonly sentence: string }
  | { readonly is: 'refused'; readonly sentence: string };

/** `complete`: it knows of no more; else they are asked for from `scannedUntil` + 1. */
export interface RecoveredPage {
  readonly swaps: readonly unknown[];
  readonly scannedUntil: number;
  readonly complete: boolean;
}

/**
 * A provider of swaps, this node or any other that speaks the published interface. Nothing it answers is trusted.
 * `create` has the payment hash as *natural key*: a second create is answered `used`. Every method rejects with a
 * `PortFailure` when the provider did not answer, or answered what it cannot mean.
 */
export interface ProviderPort extends ProviderOnEvm, ProviderOnBitcoin {
  quote(
    direction: ProviderOrder['direction'],
    pinned: { readonly side: 'source' | 'target'; readonly amount: Sats },
  ): Promise<ProviderQuote | Refusal>;
  /** For comparing only, and as quick as the signal: silence is an answer, and nothing is begun by it. */
  offer(inquiry: Inquiry, signal: Signal): Promise<Offer>;
  /** What it lists now; nothing where it is silent. */
  pairs(signal: Signal): Promise<readonly ListedPair[]>;
  /** The tokens on EVM chains that it lists now; nothing where it is silent. */
  tokens(signal: Signal): Promise<readonly ListedToken[]>;
  /** Whether it answers as a provider does; null when it does. */
  fault(signal: Signal): Promise<ProviderFault | null>;
  create(order: ProviderOrder): Promise<CreateAnswer>;
  /** Our swap with the hash of the order, by the keys from its index on; null when the provider knows none. */
  find(order: ProviderOrder): Promise<unknown>;
  /**
   * One page of the swaps that it knows of our keys, from an index on, as they came; null where it answers no such
   * question, which proves nothing.
   */
  recover(startIndex: number): Promise<RecoveredPage | null>;
  /** Null when the provider does not know the swap. */
  status(swapId: string): Promise<ProviderWord | null>;
  cosign(swapId: string, refund: CollabRefund): Promise<CollabRefund | Refusal>;
}

/** The provider at a base URL; the empty one is this very node. */
export type Providers = (provider: string) => ProviderPort;
