import { base64 as library } from '@scure/base';
import { expect, test } from 'vitest';
import { base64 } from '../../../engine/adapters/arkade/base64.ts';

const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 131 + (i >> 7)) & 0xff);

/** Microseconds of the processor. */
function cost(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('base64 is what the library makes of it, of any length', () => {
  for (const length of [0, 1, 2, 3, 4, 57, 1_000]) {
    const part = bytes.subarray(3, 3 + length);
    expect(base64.encode(part)).toBe(library.encode(part));
    expect(base64.decode(base64.encode(part))).toEqual(new Uint8Array(part));
  }
});

test.each(['QQ', 'QQ=', 'Q', 'QR==', 'QUI-', 'QUI_', 'QU I', ' QUI', 'QUI\n', 'QUI=QUI=', 'QQ==QQ=='])(
  'what the platform would skip or cut off is refused: %j',
  (text) => {
    expect(() => base64.decode(text)).toThrow();
  },
);

test('it takes a tenth of the processor that the library takes', () => {
  const text = base64.encode(bytes);
  const ours = cost(() => base64.decode(base64.encode(bytes)));
  expect(ours * 10).toBeLessThan(cost(() => library.encode(library.decode(text))));
});
