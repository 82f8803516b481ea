import type { EvmNetwork } from '../../domain/chain.ts';
import type { Sats } from '../../domain/money.ts';
import type { Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../only-if.ts';
import type { EvmAct } from './acts.ts';
import type { SwapContracts } from './contracts.ts';

/** What a machine asks of our account on an EVM chain. */
export interface EvmEffect {
  /**
   * Prepares one transaction: judged, simulated with its exact bytes, signed and saved with its nonce; sends nothing. What is
   * saved is sent, replaced and brought to its end by the account's own queue, whatever becomes of the swap.
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
