import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../only-if.ts';
import type { EvmAct } from './acts.ts';
import type { SwapContracts } from './contracts.ts';
import type { TakerEvmKey } from './taker-key.ts';

/** What a machine asks of our account on an EVM chain. */
export interface EvmEffect {
  /**
   * Prepares one transaction: judged, simulated with its exact bytes, signed and saved with its nonce; sends nothing.
   * What is saved is sent, replaced and brought to its end by the account's own queue, whatever becomes of the swap.
   */
  readonly do: 'evm.send';
  readonly network: EvmNetwork;
  /** Null where no contract of a swap is called. */
  readonly contracts: SwapContracts | null;
  readonly act: EvmAct;
  /** By which it must be mined, by the chain's clock: its fee rises towards it. Null has no hurry. */
  readonly deadline: Unix | null;
  /** What is saved by it, which bounds what its gas may cost; of a `pay` what its gas may cost itself. */
  readonly value: Sats;
  /** Judged at the act; left out for what takes or gives back money that is on its way already. */
  readonly onlyIf?: OnlyIf;
}

/** What one of the taker's accounts sends to somewhere else, and what it may spend on it. */
export interface EvmForwarding {
  readonly network: EvmNetwork;
  readonly key: TakerEvmKey;
  /** Zero for the coin. */
  readonly token: EvmAddress;
  readonly to: EvmAddress;
  /** Smallest units. */
  readonly amount: bigint;
  /** Units of gas that it is signed for. */
  readonly gas: bigint;
  /** Most wei that its gas may cost, raises included. */
  readonly mostWei: bigint;
  /** Blocks after which nothing of the chain is taken back any more. */
  readonly confirmations: number;
}

export type EvmForwardEffect =
  /** Signs the one transaction for it, which is saved with its place in the account's order; sends nothing. */
  | ({ readonly do: 'evm.forward' } & EvmForwarding)
  /**
   * Sends what was saved, the same bytes or a dearer variant in the same place, until one is buried. `lastLook`: its
   * place was used, and only what used it is looked for, for a while.
   */
  | ({ readonly do: 'evm.forward-send'; readonly lastLook: boolean } & EvmForwarding);

/** Reads what a mined transaction brought to somebody, of each of these tokens: sends nothing. */
export interface EvmReading {
  readonly do: 'evm.read-arrival';
  readonly network: EvmNetwork;
  readonly txid: Txid;
  readonly to: EvmAddress;
  readonly tokens: readonly EvmAddress[];
}
