import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { coreMethods } from '../../../engine/adapters/bitcoin/core-methods.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'engine', 'adapters', 'bitcoin');
/**
 * Asked by the doctor for what it shows, and of btcd, which has no whitelist: a Core that forbids them serves every
 * swap.
 */
const spare = ['estimatefee', 'getconnectioncount', 'getinfo', 'getnetworkinfo'];

test('what the doctor asks leave for is what the adapter calls', () => {
  const called = readdirSync(folder)
    .filter((file) => file !== 'core-methods.ts')
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/'((?:get|scan|send|submit|estimate)[a-z]+)'/g),
    ])
    .map(([, method = '']) => method);
  expect([...new Set(called)].filter((method) => !spare.includes(method)).toSorted()).toEqual([...coreMethods]);
});
