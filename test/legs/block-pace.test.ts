import { expect, test } from 'vitest';
import { bitcoinNetworks, directionNames } from '../../engine/domain/chain.ts';
import { paysOverLightning, refusedHeights, refusedPace } from '../../engine/legs/block-pace.ts';
import { everyCase } from '../swap/every-case.ts';

/** Whether anything that a provider agreed on ends at a height. */
function endsAtHeight(terms: unknown): boolean {
  return Object.entries(terms as Record<string, unknown>).some(
    ([name, value]) =>
      /height|cltv/i.test(name) ||
      (typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && endsAtHeight(value)),
  );
}

test('fast blocks stop every direction in whose terms a lock ends at a height, and no other', () => {
  const refused = directionNames.filter((name) => refusedPace(name, 'mutinynet') !== null);
  expect(refused).toEqual(directionNames.filter((name) => endsAtHeight(everyCase[name].terms)));
  const open = directionNames.filter((name) => !refused.includes(name));
  expect(open.toSorted()).toEqual(['arkade-evm', 'bitcoin-arkade', 'bitcoin-evm', 'evm-arkade', 'evm-bitcoin']);
});

test('where blocks take ten minutes nothing is refused for them', () => {
  const others = bitcoinNetworks.filter((network) => network !== 'mutinynet');
  const refused = others.flatMap((network) => directionNames.filter((name) => refusedPace(name, network) !== null));
  expect([refused, others.map(paysOverLightning), paysOverLightning('mutinynet')]).toEqual([
    [],
    others.map(() => true),
    false,
  ]);
  expect([others.map(refusedHeights), refusedHeights('mutinynet')?.refusal]).toEqual([
    others.map(() => null),
    'unavailable',
  ]);
});
