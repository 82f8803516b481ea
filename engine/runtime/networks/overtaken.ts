import { kindOf, type NetworkKind } from '../../domain/chain.ts';
import type { TransactionRow } from '../../store/transactions.ts';
import { arkadeFates } from './arkade/fates.ts';
import { evmFates } from './evm/fates.ts';
import type { Fate, Fates } from './fate.ts';
import { onchainFates } from './onchain/fates.ts';

/**
 * A line for each network: one that does not tell what becomes of its transactions does not compile. No transaction of
 * ours is on the empty ones.
 */
const fates: Readonly<Record<NetworkKind, Fates>> = {
  arkade: arkadeFates,
  bitcoin: onchainFates,
  lightning: {},
  evm: evmFates,
};

/**
 * What becomes of a transaction on its way once its swap ended without it. One of a purpose that its network does not
 * know moves nothing.
 */
export function overtaken({ network, purpose }: Pick<TransactionRow, 'network' | 'purpose'>): Fate {
  return fates[kindOf(network)][purpose] ?? 'dead';
}
