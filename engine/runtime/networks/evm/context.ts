import type { EvmNetwork } from '../../../domain/chain.ts';
import type { ContractPair } from '../../../legs/evm/contracts.ts';
import type { Store } from '../../../store/store.ts';
import type { Ports } from '../../ports.ts';
import type { UnpaidCosts } from '../../unpaid.ts';
import type { Wallets } from '../../wallets.ts';
import type { CommonContext, Judge } from '../context.ts';
import type { SentMemory } from '../sent-memory.ts';
import type { GasToCome } from './gas-to-come.ts';
import type { RulesOf } from './rules.ts';

/** Every EVM chain, and who the taker is there. */
type EvmPorts = Pick<Ports, EvmNetwork | 'exchanges' | 'takerAccounts'>;

/**
 * Null once the settings in force name the pair for new swaps; a sentence where they cannot, or name neither it nor
 * `instead`.
 */
export type NameContracts = (
  network: EvmNetwork,
  pair: ContractPair,
  instead: ContractPair | null,
) => Promise<string | null>;

/** What the executors of the EVM chains' effects have at hand. */
export interface EvmContext extends CommonContext {
  readonly ports: EvmPorts;
  readonly store: Pick<
    Store,
    | 'atomically'
    | 'effects'
    | 'intents'
    | 'nonces'
    | 'outlays'
    | 'preimages'
    | 'reservations'
    | 'spareClaims'
    | 'swaps'
    | 'transactions'
  >;
  readonly judge: Judge;
  /** One preparation for an account at a time: two would sign for the same place in its order. */
  readonly alone: Wallets['alone'];
  /** What the owner lets the gas of a chain cost, and when its blocks count. */
  readonly evm: RulesOf;
  /** What is spent before a fee comes, and whether there is room for more of it. */
  readonly unpaid: UnpaidCosts;
  /** What is kept in the account for claims and refunds. */
  readonly gasToCome: GasToCome;
  /** Where it is noted that a node of a chain took a transaction. */
  readonly taken: Pick<SentMemory, 'add' | 'forget'>;
  /** Has the settings name a pair for a chain; a sentence where they cannot. */
  readonly nameContracts: NameContracts;
  /** What was signed and sent for the swap while no disk could take it; null for nothing. */
  readonly unsaved: () => Uint8Array | null;
  /** A transaction of our account was saved, and waits to be sent. */
  readonly onSigned: (network: EvmNetwork) => void;
}
