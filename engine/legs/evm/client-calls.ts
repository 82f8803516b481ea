import { bytesToHex, encodeFunctionData, hexToBytes, parseAbi } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import type { EvmCall } from './port.ts';
import type { LockTerms } from './swap-key.ts';

/* What clients call, or have asked of their tokens: our account sends them for the taker alone. */

const coordinator = parseAbi([
  'function refundTo(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock)',
]);

const eip2612 = parseAbi([
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
]);

type Question = Pick<EvmCall, 'to' | 'data'>;

/**
 * Gives a lock that the coordinator made back to its depositor, in the token of the lock, from the timelock on
 * (facts/clients.md 36): anybody may send it. With another amount than that of the event it is a lock that does not
 * exist.
 */
export function refundToCall(to: EvmAddress, lock: Omit<LockTerms, 'refundAddress'>): EvmCall {
  const args = [
    bytesToHex(lock.preimageHash),
    lock.amount,
    bytesToHex(lock.token),
    bytesToHex(lock.claimAddress),
    lock.timelock,
  ] as const;
  return { to, value: 0n, data: hexToBytes(encodeFunctionData({ abi: coordinator, functionName: 'refundTo', args })) };
}

/** The next nonce of an owner's permits (EIP-2612): 32 bytes. */
export function permitNonce(token: EvmAddress, owner: EvmAddress): Question {
  const args = [bytesToHex(owner)] as const;
  return { to: token, data: hexToBytes(encodeFunctionData({ abi: eip2612, functionName: 'nonces', args })) };
}

/** The domain that permits of a token are signed for: 32 bytes. */
export function permitDomain(token: EvmAddress): Question {
  return { to: token, data: hexToBytes(encodeFunctionData({ abi: eip2612, functionName: 'DOMAIN_SEPARATOR' })) };
}
