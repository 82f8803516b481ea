import { failedWith, PortFailure, type ConnectionFailure } from '../../domain/errors.ts';

/** With what an EVM chain rejects. */
export type EvmFailure =
  | ConnectionFailure
  /** No RPC of the chain answered in time. */
  | 'evm-away'
  /** What an RPC answered is no answer to what was asked, or contradicts what it said before. */
  | 'evm-unclear'
  /** Two RPCs do not say the same where both have to. */
  | 'evm-disagreement'
  /** The contract that was read refuses the question: asking again answers the same. */
  | 'evm-reverted'
  /** The RPC does not give logs or state of so long ago. */
  | 'evm-pruned'
  | 'evm-unauthorized';

export const evmFailure = PortFailure.of<EvmFailure>();

/** Whether it failed with one of these codes. */
export const failedOnEvm = failedWith<EvmFailure>();
