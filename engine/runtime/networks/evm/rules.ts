import type { EvmNetwork } from '../../../domain/chain.ts';
import { connectionFailure } from '../../../domain/errors.ts';
import type { EvmAddress } from '../../../domain/evm.ts';
import type { Sats } from '../../../domain/money.ts';
import type { SwapContracts } from '../../../legs/evm/contracts.ts';
import type { GasCeilings } from '../../../quote/ceilings.ts';
import type { CoinPrice } from '../../../quote/coin-price.ts';

/** What the owner sets for a chain, and what its coin costs now. */
export interface EvmRules {
  /** Blocks after which what a block says is not asked again: for little, and for any amount. */
  readonly confirmations: readonly [number, number];
  readonly gas: GasCeilings;
  /** What the word of one RPC of several is good for. */
  readonly singleSource: Sats;
  /** Null while nobody knows: then gas is bounded by its price alone. */
  readonly price: CoinPrice | null;
  /** What locks hold, zero for the coin; null where nothing is set. */
  readonly pegged: EvmAddress | null;
  /** What locks of new swaps may find approved; null where they need no approval. */
  readonly standing: AllowancePolicy | null;
}

/** Whose allowance is kept ahead of the locks of new swaps, and for which amounts. */
export interface AllowancePolicy {
  readonly contracts: SwapContracts;
  readonly token: EvmAddress;
  /** Units of the largest swap; null while nobody knows, or while there shall be none. */
  readonly largest: bigint | null;
}

export type RulesOf = (network: EvmNetwork) => EvmRules;

export const noRules: RulesOf = (network) => {
  throw connectionFailure('absent', `nothing is configured for ${network}`);
};

/** Blocks after which nothing of a chain is taken back any more. */
export function deepest({ confirmations: [little, any] }: EvmRules): number {
  return Math.max(little, any, 1);
}
