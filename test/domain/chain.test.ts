import { expect, test } from 'vitest';
import { isSignet, networkOfGenesis } from '../../engine/domain/chain.ts';

const everySignet = '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6';
const mainnet = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

test('signets begin with one block, and their second one tells them apart', () => {
  const second = {
    signet: '00000086d6b2636cb2a392d45edc4ec544a10024d30141c9adf4bfd9de533b53',
    mutinynet: '000002855893a0a9b24eaffc5efc770558a326fee4fc10c9da22fc19cd2954f9',
  };
  expect([
    networkOfGenesis(everySignet, second.signet),
    networkOfGenesis(everySignet, second.mutinynet),
    networkOfGenesis(everySignet, 'ab'.repeat(32)),
    networkOfGenesis(everySignet, null),
    networkOfGenesis(mainnet, second.mutinynet),
    [everySignet, mainnet].map(isSignet),
  ]).toEqual([
    'signet',
    'mutinynet',
    expect.stringMatching(/^an unknown signet \(block 1 abababab/),
    expect.stringMatching(/^an unknown signet \(block 1 is missing/),
    'mainnet',
    [true, false],
  ]);
});
