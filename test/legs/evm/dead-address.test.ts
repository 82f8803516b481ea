import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { permit2 } from '../../../engine/legs/evm/deployments.ts';
import { isDeadAddress, isDeadOn } from '../../../engine/legs/evm/dead-address.ts';

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
  expect(isDeadAddress(permit2, null, [])).toBe(true);
});

test('what an owner names on a chain is no account either: other tokens, an exchange, its pool', () => {
  const chain = {
    contracts,
    peggedToken: account(3),
    tokens: [account(4)],
    dex: { quoter: account(5), router: account(6) },
    peg: { pool: account(7) },
  };
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8].map((byte) => isDeadOn(chain, account(byte)))).toEqual([
    ...Array<boolean>(8).fill(true),
    false,
  ]);
  expect(isDeadOn(chain, account(8), [account(8)])).toBe(true);
  expect([0, 1, 3].map((byte) => isDeadOn(undefined, account(byte)))).toEqual([true, false, false]);
});
