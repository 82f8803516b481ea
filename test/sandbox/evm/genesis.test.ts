import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { prepareNativeChain, prepareTokenChain } from '../../tools/evm/chains.ts';

const kept = (name: string): unknown => JSON.parse(readFileSync(`resources/sandbox/${name}.json`, 'utf8'));

describe('the first blocks of the EVM chains', () => {
  it('are those that the contracts make today', async () => {
    const [token, native] = await Promise.all([prepareTokenChain(), prepareNativeChain()]);
    expect(kept('evm-137')).toEqual(token.genesis);
    expect(kept('evm-31')).toEqual(native.genesis);
    expect(kept('evm-places')).toEqual({ '137': token.places, '31': native.places });
  });
});
