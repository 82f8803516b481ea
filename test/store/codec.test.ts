import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode, pack, unpack } from '../../engine/store/codec.ts';

const plain = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.bigInt(), fc.uint8Array());
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    plain,
    fc.array(tie('any')),
    fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => !key.startsWith('$') && key !== '__proto__'),
      tie('any'),
    ),
  ),
})).any;

test('whatever the engine keeps reads back equal', () => {
  fc.assert(
    fc.property(value, (thing) => {
      expect(decode(encode(thing))).toEqual(thing);
    }),
    { numRuns: 2_000 },
  );
});

test('bytes read back as plain bytes, also when they were a Buffer', () => {
  const read = decode<{ bytes: Uint8Array }>(encode({ bytes: Buffer.from('abc') }));
  expect({ buffer: Buffer.isBuffer(read.bytes), bytes: read.bytes }).toEqual({
    buffer: false,
    bytes: Uint8Array.of(97, 98, 99),
  });
});

test.each([
  ['a function', { pay: () => 1 }],
  ['a symbol', { key: Symbol('key') }],
  ['a hole in a list', [1, undefined, 3]],
  ['a number that is none', { amount: Number.NaN }],
  ['an endless number', { amount: Number.POSITIVE_INFINITY }],
])('%s is a bug and not silently lost', (_, lost) => {
  expect(() => encode(lost)).toThrow(/cannot be stored/);
});

test('a packed value comes back equal, and is never longer than its text', () => {
  const values = [{ at: 'lapsed' }, { hash: new Uint8Array(32).fill(7), amount: 10n ** 30n, text: 'x'.repeat(400) }];
  expect(values.map((value) => unpack(pack(value)))).toEqual(values);
  expect(values.every((value) => pack(value).length <= encode(value).length)).toBe(true);
  expect(typeof pack(values[1])).toBe('object');
});
