import { expect, test } from 'vitest';
import { hrefTo, routeOf } from '../../../renderer/stores/route.ts';

test('an address is read as the parts that it was made of, whatever is in them', () => {
  expect([hrefTo('swaps', 'a/b c'), routeOf(hrefTo('swaps', 'a/b c')), routeOf(''), routeOf('#/%zz')]).toEqual([
    '#/swaps/a%2Fb%20c',
    ['swaps', 'a/b c'],
    [],
    ['%zz'],
  ]);
});
