import { bytesToHex, encodeAbiParameters, hexToBytes, keccak256 } from 'viem/utils';
import type { Call } from './contracts.ts';

const words = [
  {
    type: 'tuple[]',
    components: [
      { name: 'target', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'callData', type: 'bytes' },
    ],
  },
] as const;

/** Calls as contracts take them. */
export function callTuples(calls: readonly Call[]) {
  return calls.map(({ target, value, data }) => ({ target: bytesToHex(target), value, callData: bytesToHex(data) }));
}

/**
 * The hash under which a signature binds calls: 32 bytes, `keccak256(abi.encode(Call[]))` (facts/evm.md 4). Of no calls
 * it is not the hash of nothing. Another hash recovers a stranger from the client's signature, and its relay reverts.
 */
export function callsHash(calls: readonly Call[]): Uint8Array {
  return hexToBytes(keccak256(encodeAbiParameters(words, [callTuples(calls)])));
}
