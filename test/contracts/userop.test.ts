import { hashTypedData } from 'viem/utils';
import { expect, test } from 'vitest';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { callsHash } from '../../engine/legs/evm/calls-hash.ts';
import { accountAbstraction, ownPair } from '../../engine/legs/evm/deployments.ts';
import { permitDigest } from '../../engine/legs/evm/digests.ts';

/* What a client signs that funds by a user operation (facts/evm.md 24). */

const of = (byte: number): EvmAddress => asEvmAddress(new Uint8Array(20).fill(byte));
const address = (hex: string): EvmAddress => asEvmAddress(fromHex(hex));
const chainId = 42_161;
const t = 1_800_000_000n;

const digest = permitDigest(
  { chainId, contracts: { ...ownPair(chainId), coordinator: of(0x20) } },
  {
    lock: {
      preimageHash: asSha256(new Uint8Array(32).fill(0xab)),
      token: address('6c84a8f1c29108f47a79964b5fe888d4f4d0de40'),
      claimAddress: of(0x30),
      timelock: t,
    },
    permit: { token: address('af88d065e77c8cc2239327c5edb3a432268e5831'), amount: 999_900n, nonce: 1n, deadline: t },
    callsHash: callsHash([]),
  },
);

test('facts/evm.md 24: the Permit2 digest of a funding is that of published clients', () => {
  expect(toHex(digest)).toBe('612d1b8c3e1c5dfe6eae95cfa1c13f781129956ee9d74695c6c8f05ba7cb6bbb');
});

test('facts/evm.md 24: and so is what an account with the code of Kernel signs of it', () => {
  const wrapped = hashTypedData({
    domain: {
      name: 'Kernel',
      version: '0.3.3',
      chainId,
      verifyingContract: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    },
    types: { Kernel: [{ name: 'hash', type: 'bytes32' }] },
    primaryType: 'Kernel',
    message: { hash: `0x${toHex(digest)}` },
  });
  expect(wrapped).toBe('0x1b7d677ff338a6abd2419503acce1d6bd4369524159d1d983d44fb2693e559b0');
});

test('facts/clients.md 47: clients are sent the contracts that they have fixed', () => {
  expect(toHex(accountAbstraction.entryPoint)).toBe('0000000071727de22e5e9d8baf0edac6f37da032');
  expect(toHex(accountAbstraction.delegationTarget)).toBe('d6cedde84be40893d153be9d467cd6ad37875b28');
});
