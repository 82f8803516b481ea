import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { sats } from '../../../engine/domain/money.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import { evmOrderOf } from '../../../engine/service/taker/evm.ts';

const peggedToken = asEvmAddress(new Uint8Array(20).fill(0xee));
const contracts = { kind: 'erc20', htlc: peggedToken, coordinator: peggedToken, htlcVersion: '1' };

/** An order for little over a chain whose first RPC says six decimals. */
function ordered(others: 'evm-disagreement' | 'evm-away') {
  const token = async (_: unknown, how: { readonly agreed?: boolean } = {}) => {
    if (how.agreed === true) throw evmFailure(others, 'safe', 'the other one says eight, or nothing');
    return { decimals: 6, symbol: 'WBTC', name: 'Wrapped' };
  };
  const port = { token, rpcs: () => [{ failure: null }, { failure: null }], tip: async () => ({ height: 1 }) };
  const settings = { rpc: ['a', 'b'], agreeAboveSats: 100_000, contracts, peggedToken, confirmations: [2, 6] };
  return evmOrderOf(
    {
      runtime: { ports: { 'evm:137': port, takerAccounts: { accountOf: () => peggedToken } } },
      config: { evm: { 137: settings } },
    } as never,
    137,
    sats(50_000),
  );
}

test('fault 115, evm: an own swap for little goes by no decimals that another RPC denies', async () => {
  expect(await ordered('evm-disagreement')).toMatchObject({ sentence: expect.stringContaining('does not answer now') });
});

test('an own swap for little goes by what one RPC says while no other answers', async () => {
  expect(await ordered('evm-away')).toMatchObject({ pegged: { decimals: 6 } });
});
