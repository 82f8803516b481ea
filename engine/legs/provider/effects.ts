import type { TakerDirection } from '../../domain/chain.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { EvmNetwork } from '../../domain/chain.ts';
import type { VhtlcCoin } from '../arkade/effects.ts';
import type { SwapContracts } from '../evm/contracts.ts';
import type { LockTerms } from '../evm/swap-key.ts';
import type { TakerClaim, TakerFunding } from '../evm/taker-acts.ts';
import type { TakerEvmKey } from '../evm/taker-key.ts';
import type { OnlyIf } from '../only-if.ts';

/** What a taker sends to open a swap at a provider: the body of the create, already in its wire form. */
export interface ProviderOrder {
  readonly direction: TakerDirection;
  readonly body: Readonly<Record<string, string | number | boolean>>;
  readonly hash: Sha256;
  /** Index of the taker's keys, at which a recovery begins to look. */
  readonly keyIndex: number;
}

/** A swap at a provider, and where its lock on an EVM chain is. */
interface SwapOnEvm {
  readonly provider: string;
  readonly swapId: string;
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
}

/** What a taker's machine asks of a provider; `provider` is its base URL, empty for this very node. */
export type ProviderEffect =
  /** Opens a swap at a provider. */
  | { readonly do: 'provider.create'; readonly provider: string; readonly order: ProviderOrder }
  /** Builds our half of a refund and asks the provider for the other one; sends nothing to the operator. */
  | ({ readonly do: 'provider.cosign'; readonly provider: string; readonly swapId: string } & VhtlcCoin)
  /** Gives the provider our secret and our signature, for it to claim its lock for us. */
  | ({ readonly do: 'provider.claim-evm'; readonly claim: TakerClaim; readonly onlyIf: OnlyIf } & SwapOnEvm)
  /** Gives the provider our signature, for it to lock our tokens. */
  | ({
      readonly do: 'provider.fund-evm';
      readonly funding: TakerFunding;
      /** What is saved by it, which bounds what the gas of an approval may cost that our account has to send first. */
      readonly value: Sats;
    } & SwapOnEvm)
  /** Asks the provider to give our lock back before its timelock, with our signature. */
  | ({ readonly do: 'provider.refund-evm'; readonly lock: LockTerms; readonly key: TakerEvmKey } & SwapOnEvm);
