import type { TakerDirection } from '../../domain/chain.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { VhtlcCoin } from '../arkade/effects.ts';

/** What a taker sends to open a swap at a provider: the body of the create, already in its wire form. */
export interface ProviderOrder {
  readonly direction: TakerDirection;
  readonly body: Readonly<Record<string, string | number>>;
  readonly hash: Sha256;
  /** Index of the taker's keys, at which a recovery begins to look. */
  readonly keyIndex: number;
}

/** What a taker's machine asks of a provider; `provider` is its base URL, empty for this very node. */
export type ProviderEffect =
  /** Opens a swap at a provider. */
  | { readonly do: 'provider.create'; readonly provider: string; readonly order: ProviderOrder }
  /** Builds our half of a refund and asks the provider for the other one; sends nothing to the operator. */
  | ({ readonly do: 'provider.cosign'; readonly provider: string; readonly swapId: string } & VhtlcCoin);
