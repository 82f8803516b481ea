import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { isDeadAddress } from '../../../engine/legs/evm/dead-address.ts';

const account = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const contracts = { htlc: account(1), coordinator: account(2) };

test('nobody can use what comes to zero, to the contracts of swaps or to a token', () => {
  const tokens = [account(3), account(0)];
  expect([0, 1, 2, 3, 4].map((byte) => isDeadAddress(account(byte), contracts, tokens))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([0, 1].map((byte) => isDeadAddress(account(byte), null, []))).toEqual([true, false]);
});
