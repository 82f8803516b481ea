import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSealer } from '../../engine/store/sealer.ts';

const sealer = createSealer(new Uint8Array(32).fill(1));
const secret = new Uint8Array(32).fill(9);

test('what was sealed for a row opens for that row', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), (bytes, context) => {
      expect(sealer.open(sealer.seal(bytes, context), context)).toEqual(bytes);
    }),
  );
});

test('the same bytes are sealed differently each time', () => {
  expect(sealer.seal(secret, 'row')).not.toEqual(sealer.seal(secret, 'row'));
});

describe('nothing opens', () => {
  const sealed = sealer.seal(secret, 'preimage 1');

  test('in another row', () => {
    expect(() => sealer.open(sealed, 'preimage 2')).toThrow();
  });

  test('with another key', () => {
    expect(() => createSealer(new Uint8Array(32).fill(2)).open(sealed, 'preimage 1')).toThrow();
  });

  test('when any single byte was changed, the version included', () => {
    const opened = Array.from(sealed, (_, i) => {
      const changed = sealed.slice();
      changed[i] = (changed[i] ?? 0) ^ 1;
      try {
        return sealer.open(changed, 'preimage 1');
      } catch {
        return null;
      }
    });
    expect(opened.filter((one) => one !== null)).toEqual([]);
  });

  test('that a newer build sealed, and the sentence says so', () => {
    expect(() => sealer.open(Uint8Array.of(2, ...sealed.subarray(1)), 'preimage 1')).toThrow(
      'a sealed value of version 2 needs a newer Sluice',
    );
  });
});

test('a key of another length is refused', () => {
  expect(() => createSealer(new Uint8Array(16))).toThrow(/32 bytes/);
});
