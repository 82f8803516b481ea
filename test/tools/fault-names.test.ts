import { expect, test } from 'vitest';
import { faultNames } from './fault-names.ts';

test('a fault counts once for each test that runs, whatever its quotes, and never for one that does not', () => {
  const source = `
    // 'fault' in a comment, and fault 1: without quotes
    test('fault 22: a send that times out is unknown', () => {});
    test("fault 3: the disk is full", () => {});
    describe('fault 40: both at once', () => { it('is decided once', () => {}); });
    it.each([31, 33])(\`fault 18: %i bytes\`, () => {});
    test('fault 22: and again', () => {});
    test('fault 9, a b: of none', () => {});
    test.skip('fault 5: not today', () => {});
    test.todo("fault 6: one day");
    test('no fault 7: here', () => {});
    test('fault 40, evm: on a chain', () => {});
    test('fault 8, two: of another network', () => {});
  `;
  expect(faultNames(source)).toEqual([
    { number: 3, network: null },
    { number: 8, network: 'two' },
    { number: 18, network: null },
    { number: 22, network: null },
    { number: 40, network: null },
    { number: 40, network: 'evm' },
  ]);
});
