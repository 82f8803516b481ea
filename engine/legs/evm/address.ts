import { bytesToHex, getAddress } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';

/** An address as people read it, with its checksum in the case of its letters (EIP-55). */
export function checksummed(address: EvmAddress): `0x${string}` {
  return getAddress(bytesToHex(address));
}
