import { hexToBytes, isAddress } from 'viem/utils';
import { type EvmAddress, asEvmAddress } from '../../domain/evm.ts';

/**
 * An address as people write it; null where it is none, or where the case of its letters says that one of them is wrong
 * (EIP-55). What is sent to an address with a wrong letter is gone.
 */
export function readAddress(text: string): EvmAddress | null {
  return isAddress(text) ? asEvmAddress(hexToBytes(text)) : null;
}
