import { expect, test } from 'vitest';
import { directionContracts } from '../../engine/contract/directions/directions.ts';
import { examples } from '../../engine/contract/examples.ts';
import { directionNames } from '../../engine/domain/chain.ts';

test('no request of the contract says what only another door may say of a swap', () => {
  const door = { price: { source: '1', target: '1', fee: '0', networkFee: '0' }, vhtlc: 'loose' };
  for (const name of directionNames) {
    const { route, operation } = directionContracts[name];
    const request = route.body.parse({ ...examples[operation]?.body, door });
    expect('door' in request).toBe(false);
  }
});
