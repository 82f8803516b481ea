import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { SwapContracts } from './contracts.ts';

/**
 * Whether nobody could ever use what comes to this address: the zero address, the contracts of the swap, and the contracts of tokens.
 * `contracts` null where the chain has none of a swap's; `tokens` as 20-byte addresses, the zero address for the native coin. Loses money when wrong: tokens that are sent there stay there.
 */
export function isDeadAddress(
  address: EvmAddress,
  contracts: Pick<SwapContracts, 'htlc' | 'coordinator'> | null,
  tokens: readonly EvmAddress[],
): boolean {
  const own = contracts === null ? [] : [contracts.htlc, contracts.coordinator];
  return address.every((byte) => byte === 0) || [...own, ...tokens].some((one) => sameBytes(one, address));
}
