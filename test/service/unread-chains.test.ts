import { expect, test } from 'vitest';
import type { CreateArkadeEvm } from '../../engine/contract/directions/arkade-evm.ts';
import type { ServiceContext } from '../../engine/service/context.ts';
import { arkadeEvmDirection } from '../../engine/service/directions/arkade-evm.ts';

/** A node that started just now: of its chains nothing was read yet. */
function created(evmChainId: string): unknown {
  const pegged = new Uint8Array(20).fill(1);
  const evm = {
    '137': { contracts: { kind: 'erc20' }, peggedToken: pegged },
    '31': { contracts: { kind: 'native' }, peggedToken: null },
    '1': { contracts: { kind: 'erc20' }, peggedToken: null },
  };
  const context = { markets: { on: () => null }, networks: { closed: () => null }, config: { evm } };
  return arkadeEvmDirection.create(
    context as unknown as ServiceContext,
    { evmChainId } as unknown as CreateArkadeEvm,
    null,
  );
}

test.each(['137', '31'])('chain %s is swapped on and was not read yet: its clients are told to wait', async (chain) => {
  expect(await created(chain)).toMatchObject({
    refusal: 'unavailable',
    sentence: expect.stringContaining('try again'),
  });
});

test.each(['1', '10'])('chain %s is not swapped on, read or not', async (chain) => {
  expect(await created(chain)).toMatchObject({
    refusal: 'invalid',
    sentence: expect.stringContaining('Unsupported chain'),
  });
});
