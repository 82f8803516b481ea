import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { prepareNativeChain, prepareTokenChain } from '../../tools/evm/chains.ts';

const resource = (name: string): unknown => JSON.parse(readFileSync(`resources/sandbox/${name}.json`, 'utf8'));

describe('the first blocks of the EVM chains', () => {
  it('are those that the contracts make today', async () => {
    const [token, native] = await Promise.all([prepareTokenChain(), prepareNativeChain()]);
    expect(resource('evm-137')).toEqual(token.genesis);
    expect(resource('evm-31')).toEqual(native.genesis);
    expect(resource('evm-places')).toEqual({ '137': token.places, '31': native.places });
  });
});
